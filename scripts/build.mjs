/**
 * Compiles src/ and scripts/ to dist/. With `--if-possible` (npm's `prepare`) it is left out where TypeScript is not installed, as
 * after `npm ci --omit=dev`: a deployment brings its compiled dist/ along.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const compiler = 'node_modules/typescript/bin/tsc';
if (!existsSync(compiler)) {
  console.error('TypeScript is not installed: dist/ is left as it is.');
  process.exit(process.argv.includes('--if-possible') ? 0 : 1);
}
// The first start runs a compiled seed where there is one: a deleted source must not live on.
if (!existsSync('scripts/seed.ts')) rmSync('dist/scripts/seed.js', { force: true });
process.exit(
  spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { stdio: 'inherit' }).status ?? 1,
);

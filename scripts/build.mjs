/**
 * Compiles src/ and scripts/ to dist/. With `--if-possible` (npm's `prepare`) it is left out where TypeScript is not installed, as
 * after `npm ci --omit=dev`: a deployment brings its compiled dist/ along.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const compiler = 'node_modules/typescript/bin/tsc';
if (!existsSync(compiler)) {
  console.error('TypeScript is not installed: dist/ is left as it is.');
  process.exit(process.argv.includes('--if-possible') ? 0 : 1);
}
// The first start runs a compiled seed where there is one: a deleted source must not live on.
if (!existsSync('scripts/seed.ts')) rmSync('dist/scripts/seed.js', { force: true });
const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { stdio: 'inherit' });
// The documentation page, and what it is rendered with.
const assets = 'dist/src/http/docs/assets';
cpSync('src/http/docs/assets', assets, { recursive: true });
for (const file of ['swagger-ui-bundle.js', 'swagger-ui.css', 'LICENSE', 'NOTICE'])
  copyFileSync(`node_modules/swagger-ui-dist/${file}`, `${assets}/${file}`);
process.exit(status ?? 1);

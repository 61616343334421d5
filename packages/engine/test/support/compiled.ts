import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const COMPILER = createRequire(import.meta.url).resolve('typescript/bin/tsc');

// Does nothing where dist/ is up to date.
const { status, stdout } = spawnSync(process.execPath, [COMPILER, '-b', join(ROOT, 'tsconfig.build.json')], {
  encoding: 'utf8',
});
if (status !== 0) throw new Error(stdout);

/** A source file as built by `npm run build`, up to date: as a process it starts in half the time that tsx needs. */
export const compiled = (source: string): string => join(ROOT, 'dist', source.replace(/\.ts$/, '.js'));

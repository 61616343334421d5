import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BUILD = [join(ROOT, 'scripts/build.mjs'), '--if-changed'];

const { status, stderr } = spawnSync(process.execPath, BUILD, { encoding: 'utf8' });
if (status !== 0) throw new Error(stderr);

/** A source file as built by `npm run build`, up to date: as a process it starts in half the time that tsx needs. */
export const compiled = (source: string): string => join(ROOT, 'dist', source.replace(/\.ts$/, '.js'));

/**
 * Joins what src/ compiles to into few files: a process that starts opens a tenth of them. Each module is in one of them, whichever
 * program begins with it, so `mangrove` is the same for the server and for a project's own code. Packages stay where they are
 * installed. The modules that tsc has made stay beside them, for tests and scripts.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { relative, sep } from 'node:path';

const FOLDER = 'dist/src';
const PARTS = 'parts';

/** What a process, a thread or an importer begins with. */
const BEGINNINGS = [
  'main',
  'index',
  'cli/main',
  'embedded/index',
  'embedded/thread/engine-thread',
  'serve/workers/worker',
  'dev/worker',
];

/** In `PARTS`, where all parts are. */
const partOf = (name) => name.replaceAll('/', '.');

/** Files beside a module are found from there, wherever its code is. */
const ownPlaces = {
  name: 'own-places',
  setup: (build) =>
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const own = relative('src', path).split(sep).join('/').replace(/\.ts$/, '.js');
      const place = `new URL('../${own}', import.meta.url).href`;
      return { loader: 'ts', contents: text.replaceAll('import.meta.url', place) };
    }),
};

/** @param {typeof import('esbuild')} esbuild */
export const bundle = async ({ build }) => {
  rmSync(`${FOLDER}/${PARTS}`, { recursive: true, force: true });
  await build({
    entryPoints: Object.fromEntries(BEGINNINGS.map((name) => [partOf(name), `src/${name}.ts`])),
    outdir: `${FOLDER}/${PARTS}`,
    chunkNames: '[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    keepNames: true,
    logLevel: 'warning',
    plugins: [ownPlaces],
  });
  for (const name of BEGINNINGS) {
    const file = `${FOLDER}/${name}.js`;
    const [interpreter = ''] = /^#!.*\n/.exec(readFileSync(file, 'utf8')) ?? [];
    const up = '../'.repeat(name.split('/').length - 1) || './';
    writeFileSync(file, `${interpreter}export * from '${up}${PARTS}/${partOf(name)}.js';\n`);
  }
};

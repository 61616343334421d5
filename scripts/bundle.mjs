/**
 * Joins what src/ compiles to into few files: a process that starts opens a tenth of them. Each module is in one of them, whichever
 * program begins with it, so `mangrove` is the same for the server and for a project's own code. Packages stay where they are
 * installed. The modules that tsc has made stay beside them, for tests and scripts.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
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

/** Where a file would else become so long that reading it takes V8 megabytes, which the process keeps: these begin one of their own. */
const SEAMS = [
  'embedded/aggregation/index',
  'embedded/expressions/compile-expression',
  'embedded/planner/run-query',
  'pipeline/compile',
  'code/read',
  'documents/read/reader',
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

/** The driver requires bson; what imports it would load its other form beside that. */
const oneBson = {
  name: 'one-bson',
  setup: (build) => {
    build.onResolve({ filter: /^bson$/ }, () => ({ path: 'bson', namespace: 'required' }));
    build.onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => {
      const require = createRequire(import.meta.url);
      const names = Object.keys(require(path)).join(', ');
      const contents = `import { createRequire } from 'node:module';
        export const { ${names} } = createRequire(import.meta.url)('${path}');`;
      return { contents };
    });
  },
};

/** @param {typeof import('esbuild')} esbuild */
export const bundle = async ({ build }) => {
  rmSync(`${FOLDER}/${PARTS}`, { recursive: true, force: true });
  await build({
    entryPoints: Object.fromEntries(
      [...BEGINNINGS, ...SEAMS].map((name) => [partOf(name), `src/${name}.ts`]),
    ),
    outdir: `${FOLDER}/${PARTS}`,
    chunkNames: '[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    // V8 keeps the text of what it runs, at two bytes a character where one of them is not Latin-1, as in a comment. Errors still
    // name a line of some use.
    minifyWhitespace: true,
    lineLimit: 160,
    logLevel: 'warning',
    plugins: [ownPlaces, oneBson],
  });
  for (const name of BEGINNINGS) {
    const file = `${FOLDER}/${name}.js`;
    const [interpreter = ''] = /^#!.*\n/.exec(readFileSync(file, 'utf8')) ?? [];
    const up = '../'.repeat(name.split('/').length - 1) || './';
    writeFileSync(file, `${interpreter}export * from '${up}${PARTS}/${partOf(name)}.js';\n`);
  }
};

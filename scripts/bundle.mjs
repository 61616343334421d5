/**
 * Joins what src/ and the engine's package compile to into few files: a process that starts opens a tenth of them. Each module is in
 * one of them, whichever program begins with it, so `mangrove` is the same for the server and for a project's own code. Packages of
 * the registry stay where they are installed. The modules that tsc has made stay beside them, for tests and scripts.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, relative, sep } from 'node:path';

const PARTS = 'dist/src/parts';

/** What a process, a thread or an importer begins with. */
const BEGINNINGS = [
  'src/main',
  'src/index',
  'src/cli/main',
  'packages/engine/src/index',
  'packages/engine/src/thread/engine-thread',
  'src/limits/bcrypt/thread',
  'src/serve/workers/worker',
  'src/dev/worker',
];

/** Where a file would else become so long that reading it takes V8 megabytes, which the process keeps: these begin one of their own. */
const SEAMS = [
  'packages/engine/src/aggregation/index',
  'packages/engine/src/expressions/compile-expression',
  'packages/engine/src/planner/run-query',
  'src/pipeline/compile',
  'src/code/read',
  'src/documents/read/reader',
];

/** In `PARTS`, where all parts are. */
const partOf = (name) => name.replaceAll('/', '.');

/** As an import of a module in the folder `from`. */
const pathTo = (from, to) => {
  const path = relative(from, to).split(sep).join('/');
  return path.startsWith('.') ? path : `./${path}`;
};

/** Files beside a module are found from there, wherever its code is. */
const ownPlaces = {
  name: 'own-places',
  setup: (build) =>
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const own = relative('.', path).split(sep).join('/').replace(/\.ts$/, '.js');
      const place = `new URL('../../${own}', import.meta.url).href`;
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

/**
 * In what tsc has made of src/, scripts/ and test/, the engine is imported by its file in dist/: a server that is packed or deployed
 * brings it along, since the package is not on the registry.
 */
export const bringEngine = (files) => {
  for (const file of files) {
    if (!/\.(?:js|d\.ts)$/.test(file)) continue;
    const text = readFileSync(file, 'utf8');
    const place = pathTo(dirname(file), 'dist/packages/engine/src/index.js');
    const linked = text.replaceAll(/(['"])@mangrove\/engine\1/g, `'${place}'`);
    if (linked !== text) writeFileSync(file, linked);
  }
};

/** @param {typeof import('esbuild')} esbuild */
export const bundle = async ({ build }) => {
  rmSync(PARTS, { recursive: true, force: true });
  await build({
    entryPoints: Object.fromEntries([...BEGINNINGS, ...SEAMS].map((name) => [partOf(name), `${name}.ts`])),
    outdir: PARTS,
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
    const file = `dist/${name}.js`;
    const [interpreter = ''] = /^#!.*\n/.exec(readFileSync(file, 'utf8')) ?? [];
    writeFileSync(
      file,
      `${interpreter}export * from '${pathTo(dirname(file), PARTS)}/${partOf(name)}.js';\n`,
    );
  }
};

/**
 * Compiles src/, the engine, scripts/ and the programs that tests start to dist/. With `--if-possible` (npm's `prepare`) it is left out where
 * TypeScript is not installed, as after `npm ci --omit=dev`: a deployment brings its compiled dist/ along. With `--if-changed`
 * (`npm start`, `npm test`) it is left out where dist/ is of the sources as they are.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const compiler = 'node_modules/typescript/bin/tsc';
const STAMP = 'dist/.built';
const BUILD_INFO = join('dist', '.tsbuildinfo');

/** Files below a path, or the file itself, by name. */
const filesOf = (path) => {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesOf(join(path, name)));
};

/** As an import of a module in the folder `from`. */
const pathTo = (from, to) => {
  const path = relative(from, to).split(sep).join('/');
  return path.startsWith('.') ? path : `./${path}`;
};

/**
 * In what tsc has made of src/, scripts/ and test/, the engine is imported by its file in dist/: a server that is packed or deployed
 * brings it along, since the package is not on the registry.
 */
const bringEngine = (files) => {
  for (const file of files) {
    if (!/\.(?:js|d\.ts)$/.test(file)) continue;
    const text = readFileSync(file, 'utf8');
    const place = pathTo(dirname(file), 'dist/packages/engine/src/index.js');
    const linked = text.replaceAll(/(['"])@mangrove\/engine\1/g, `'${place}'`);
    if (linked !== text) writeFileSync(file, linked);
  }
};

/** Removes from dist/ what is not of these sources, as what was made of a file that has been deleted since. */
const removeStale = (sources) => {
  const made = new Set(
    sources
      .map((file) => join('dist', relative('.', file)))
      .flatMap((file) => [file, file.replace(/\.ts$/, '.js'), file.replace(/\.ts$/, '.d.ts')]),
  );
  made.add(BUILD_INFO);
  for (const file of filesOf('dist')) if (!made.has(file)) rmSync(file);
  const removeEmpty = (folder) => {
    for (const { name } of readdirSync(folder, { withFileTypes: true }).filter((one) => one.isDirectory()))
      removeEmpty(join(folder, name));
    if (readdirSync(folder).length === 0) rmdirSync(folder);
  };
  if (existsSync('dist')) removeEmpty('dist');
};

/** Changes whenever a source does; contents are not read. */
const stateOfSources = () => {
  const hash = createHash('sha256');
  const sources = [
    ...JSON.parse(readFileSync('tsconfig.build.json', 'utf8')).include,
    'tsconfig.json',
    'tsconfig.build.json',
    'package.json',
    'package-lock.json',
  ];
  for (const file of sources.flatMap(filesOf)) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
};

const state = stateOfSources();
if (process.argv.includes('--if-changed')) {
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === state) process.exit(0);
  // What is installed without the compiler is served as it was built.
  if (!existsSync(compiler) && existsSync('dist/src/main.js')) process.exit(0);
}
if (!existsSync(compiler)) {
  console.error('TypeScript is not installed: dist/ is left as it is.');
  process.exit(process.argv.includes('--if-possible') ? 0 : 1);
}
rmSync(STAMP, { force: true });
const { status, stdout } = spawnSync(
  process.execPath,
  [compiler, '-p', 'tsconfig.build.json', '--listFiles'],
  { encoding: 'utf8', maxBuffer: 2 ** 26, stdio: ['ignore', 'pipe', 'inherit'] },
);
const printed = stdout.split('\n').filter((line) => line !== '');
const compiled = printed.filter(isAbsolute);
for (const line of printed) if (!isAbsolute(line)) console.log(line);
if (status === 0) {
  removeStale(compiled);
  bringEngine(['dist/src', 'dist/scripts', 'dist/test'].flatMap(filesOf));
}
// The documentation page, and what it is rendered with.
const assets = 'dist/src/http/docs/assets';
cpSync('src/http/docs/assets', assets, { recursive: true });
for (const file of ['swagger-ui-bundle.js', 'swagger-ui.css', 'LICENSE', 'NOTICE'])
  copyFileSync(`node_modules/swagger-ui-dist/${file}`, `${assets}/${file}`);
if (status === 0) writeFileSync(STAMP, state);
process.exit(status ?? 1);

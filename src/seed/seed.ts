import { basename, dirname, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ApiError } from '../errors.js';
import { isObject } from '../values/plain-object.js';
import { SeedError } from './error.js';
import { openProgress } from './progress.js';
import { readRow } from './read-row.js';
import { seedErrorMessage } from './row-errors.js';
import { filesAt, isModule, rowsOfValue, seedSourceOf } from './sources.js';
import type { SeedOptions, SeedParts, SeedProblem, SeedReport, SeedSource, SourceRow } from './types.js';
import { type Refuse, Writing } from './writing.js';

/** A module that seeds with its own function, or provides rows. */
type SeedModule = { readonly run: (parts: SeedParts) => Promise<unknown> } | { readonly source: SeedSource };

type MakeRows = (parts: SeedParts) => unknown;

/**
 * Loads a module: either `export async function seed({ documents, upload })`, or rows as its default export.
 * The rows may be a list, an object with a list for each type, or a function that returns one of these or is
 * an async generator.
 * @throws SeedError if it exports neither
 */
async function loadSeedModule(file: string, shown: string, parts: SeedParts): Promise<SeedModule> {
  const loaded: unknown = await import(pathToFileURL(file).href).catch(async (error: unknown) => {
    // TypeScript that this version of Node cannot load.
    if (!isObject(error) || error['code'] !== 'ERR_UNKNOWN_FILE_EXTENSION') throw error;
    const { createJiti } = await import('jiti');
    return createJiti(file, { fsCache: false }).import(file);
  });
  const { seed, default: given } = isObject(loaded) ? loaded : {};
  if (typeof seed === 'function') return { run: async (tools) => seed(tools) };
  if (typeof given !== 'function' && !isObject(given) && !Array.isArray(given))
    throw new SeedError(`${shown}: export async function seed({ documents, upload }), or rows by default`);
  const rows = () => rowsOf(typeof given === 'function' ? (given as MakeRows)(parts) : given, shown);
  return { source: { name: shown, version: null, folder: dirname(file), rows } };
}

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

/** Rows from an iterator include their type: `{ type: 'article', data: { … } }`. */
async function* rowsOf(made: unknown, name: string): AsyncIterable<SourceRow> {
  const value = await made;
  if (!isIterable(value)) {
    yield* rowsOfValue(value, name, null);
    return;
  }
  let at = 0;
  for await (const row of value) {
    const { type, data } = isObject(row) ? row : {};
    yield { place: `${name} › [${at++}]`, typeName: typeof type === 'string' ? type : null, value: data };
  }
}

const MOST_PROBLEMS = 100;
/** Milliseconds between progress reports. */
const REPORT_EVERY = 1000;

/**
 * Seeds a project from JSON, NDJSON and CSV files, modules, or folders of these. Existing documents, found by
 * their keys, are updated, so that it can be repeated. References identify documents by their keys, including
 * documents that come later.
 * @returns what was stored, and what could not be
 * @throws SeedError if a file cannot be read
 */
export async function seedFiles(
  parts: SeedParts,
  paths: readonly string[],
  options: SeedOptions = {},
): Promise<SeedReport> {
  const files = (await Promise.all(paths.map(filesAt))).flat();
  const problems: SeedProblem[] = [];
  let failed = 0;
  let incomplete = 0;
  const refuse: Refuse = (place, error, isStored) => {
    // Other errors, such as a lost server, are not problems of the row.
    if (!(error instanceof SeedError) && !(error instanceof ApiError && error.status < 500)) throw error;
    if (isStored) incomplete += 1;
    else failed += 1;
    if (problems.length < MOST_PROBLEMS) problems.push({ place, message: seedErrorMessage(error) });
  };
  const writing = new Writing(parts, options, refuse);
  let skipped = 0;
  for (const file of files) {
    const shown = relative(process.cwd(), file) || basename(file);
    if (!isModule(file)) {
      skipped += await seedSource({ parts, options, writing, refuse }, await seedSourceOf(file, shown));
      continue;
    }
    const module = await loadSeedModule(file, shown, parts);
    if ('source' in module) skipped += await seedSource({ parts, options, writing, refuse }, module.source);
    else if (options.dryRun) options.onProgress?.(`${shown} seeds with its own function, which is not run`);
    else await module.run(parts);
  }
  await writing.finish();
  return { ...writing.report(), skipped, failed, incomplete, problems };
}

interface Seeding {
  readonly parts: SeedParts;
  readonly options: SeedOptions;
  readonly writing: Writing;
  readonly refuse: Refuse;
}

/** Writes the rows of a source, continuing an interrupted run. Returns the number of rows skipped. */
async function seedSource({ parts, options, writing, refuse }: Seeding, source: SeedSource): Promise<number> {
  const progress = await openProgress(parts.store, source, options);
  const { from } = progress;
  if (from > 0) options.onProgress?.(`${source.name}: continuing after ${from} rows that are already stored`);
  const begun = performance.now();
  let notedAt = begun;
  let at = 0;
  try {
    for await (const row of source.rows()) {
      const number = at++;
      if (number < from) continue;
      progress.open(number);
      try {
        const [main, ...others] = readRow(parts.schema, source, row, options);
        if (main) await writing.add(main, others, progress.of(number));
      } catch (error) {
        refuse(row.place, error, false);
        progress.close(number);
      }
      if (performance.now() - notedAt < REPORT_EVERY) continue;
      notedAt = performance.now();
      await progress.save();
      const rate = Math.round(((number + 1 - from) / (notedAt - begun)) * 1000);
      options.onProgress?.(`${source.name}: ${number + 1} rows, ${rate} a second`);
    }
    await writing.flush();
  } finally {
    await writing.settled();
    await progress.save();
  }
  writing.whenFinished(() => progress.forget());
  return from;
}

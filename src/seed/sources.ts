import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { isPlainObject } from '../values/plain-object.js';
import { reasonOf } from '../values/reason-of.js';
import { SeedError } from './error.js';
import type { SeedSource, SourceRow } from './types.js';

/** Reads the rows of a file, by its extension. `name` is for messages. */
type Rows = (file: string, name: string) => AsyncIterable<SourceRow>;

const typeNameOf = (file: string): string => basename(file).replace(/\.[^.]*$/, '');

async function* jsonRows(file: string, name: string): AsyncIterable<SourceRow> {
  const value = parsed(await readFile(file, 'utf8'));
  if (value instanceof SeedError) throw new SeedError(`${name}: ${value.message}`);
  yield* rowsOfValue(value, name, typeNameOf(file));
}

/** Reads a list of rows, or an object with a list, or a single row, for each type. */
export function* rowsOfValue(value: unknown, name: string, typeName: string | null): Iterable<SourceRow> {
  if (Array.isArray(value)) {
    for (const [at, row] of value.entries()) yield { place: `${name} › [${at}]`, typeName, value: row };
    return;
  }
  if (!isPlainObject(value))
    throw new SeedError(`${name}: must be a list of rows, or an object with a list for each type`);
  for (const [type, rows] of Object.entries(value)) {
    const list: readonly unknown[] = Array.isArray(rows) ? rows : [rows];
    for (const [at, row] of list.entries())
      yield { place: `${name} › ${type}[${at}]`, typeName: type, value: row };
  }
}

async function* lineRows(file: string, name: string): AsyncIterable<SourceRow> {
  const input = createReadStream(file, 'utf8');
  let line = 0;
  try {
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      line += 1;
      const bare = line === 1 ? text.replace(/^\uFEFF/, '') : text;
      if (bare.trim() === '') continue;
      yield { place: `${name}:${line}`, typeName: typeNameOf(file), value: parsed(bare) };
    }
  } finally {
    input.destroy();
  }
}

/** The parsed JSON, or a `SeedError`. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    return new SeedError(reasonOf(error));
  }
};

async function* csvRows(file: string, name: string): AsyncIterable<SourceRow> {
  const { parse } = await import('csv-parse').catch(() => {
    throw new SeedError('CSV needs the package "csv-parse"; npm install csv-parse');
  });
  const parser = parse({
    bom: true,
    columns: true,
    info: true,
    skip_empty_lines: true,
    relax_column_count: false,
  });
  const reading = pipeline(createReadStream(file), parser).catch(() => undefined);
  try {
    for await (const { record, info } of parser as AsyncIterable<{
      record: unknown;
      info: { lines: number };
    }>)
      yield { place: `${name}:${info.lines}`, typeName: typeNameOf(file), value: record, cells: true };
  } catch (error) {
    throw new SeedError(`${name}: ${reasonOf(error)}`);
  } finally {
    parser.destroy();
    await reading;
  }
}

const ROWS: Readonly<Record<string, Rows>> = {
  '.json': jsonRows,
  '.ndjson': lineRows,
  '.jsonl': lineRows,
  '.csv': csvRows,
};

/** Modules, which seed with their own function or export rows. */
const MODULE = /^(?!.*\.d\.[cm]?ts$).*\.[cm]?[jt]s$/;

export const isModule = (file: string): boolean => MODULE.test(file);

const digestOf = async (file: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
};

/** The rows of a file. @throws SeedError if its extension is unknown */
export async function seedSourceOf(file: string, shown = file): Promise<SeedSource> {
  const rows = ROWS[extname(file).toLowerCase()];
  if (!rows) throw new SeedError(`${shown}: one of ${Object.keys(ROWS).join(', ')}, or a module`);
  return { name: shown, version: await digestOf(file), folder: dirname(file), rows: () => rows(file, shown) };
}

/** The file, or the files in a folder by name. @throws SeedError if it does not exist */
export async function filesAt(path: string): Promise<readonly string[]> {
  const file = resolve(path);
  const there = await stat(file).catch(() => null);
  if (!there) throw new SeedError(`there is no file ${path}`);
  if (!there.isDirectory()) return [file];
  const names = (await readdir(file)).filter((name) => extname(name).toLowerCase() in ROWS || isModule(name));
  return names.sort().map((name) => join(file, name));
}

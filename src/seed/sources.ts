import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { codeOf } from '../values/code-of.js';
import { isPlainObject } from '../values/plain-object.js';
import { reasonOf } from '../values/reason-of.js';
import { SeedError } from './error.js';
import type { SeedSource, SourceRow } from './types.js';

/** Reads the rows of a file, by its extension. `name` is for messages. */
type Rows = (file: string, name: string) => AsyncIterable<SourceRow>;

const typeNameOf = (file: string): string => basename(file).replace(/\.[^.]*$/, '');

async function* jsonRows(file: string, name: string): AsyncIterable<SourceRow> {
  const value = parsed(withoutMark(await readFile(file, 'utf8')));
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
      const bare = line === 1 ? withoutMark(text) : text;
      if (bare.trim() === '') continue;
      yield { place: `${name}:${line}`, typeName: typeNameOf(file), value: parsed(bare) };
    }
  } finally {
    input.destroy();
  }
}

/** A text without the mark that some programs put at the beginning of UTF-8. */
const withoutMark = (text: string): string => text.replace(/^\uFEFF/, '');

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
    columns: eachOnce,
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

/** Of two columns with one name, only the last would be read. */
function eachOnce(names: readonly string[]): string[] {
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new SeedError(`two columns are named "${twice}"`);
  return [...names];
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

/** The digest of a file; null if it is not UTF-8, whose other bytes would be replaced. */
async function digestOf(file: string): Promise<string | null> {
  const hash = createHash('sha256');
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const bytes of createReadStream(file) as AsyncIterable<Buffer>) {
      decoder.decode(bytes, { stream: true });
      hash.update(bytes);
    }
    decoder.decode();
  } catch (error) {
    if (codeOf(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA') return null;
    throw error;
  }
  return hash.digest('hex');
}

/** The rows of a file. @throws SeedError if its extension is unknown */
export async function seedSourceOf(file: string, shown = file): Promise<SeedSource> {
  const rows = ROWS[extname(file).toLowerCase()];
  if (!rows) throw new SeedError(`${shown}: one of ${Object.keys(ROWS).join(', ')}, or a module`);
  const version = await digestOf(file);
  if (version === null) throw new SeedError(`${shown}: is not UTF-8: save it in that encoding`);
  return { name: shown, version, folder: dirname(file), rows: () => rows(file, shown) };
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

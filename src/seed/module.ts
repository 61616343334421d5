import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isObject } from '../values/plain-object.js';
import { SeedError } from './error.js';
import { rowsOfValue } from './sources.js';
import type { SeedParts, SeedSource, SourceRow } from './types.js';

/** What a module seeds by: its own function, or rows. */
export type SeedModule =
  | { readonly run: (parts: SeedParts) => Promise<unknown> }
  | { readonly source: SeedSource };

type MakeRows = (parts: SeedParts) => unknown;

/**
 * Loads a module: `export async function seed({ documents, upload })`, or as its default export rows, a list or by type, or a
 * function that answers them, an async generator among them.
 * @throws SeedError where it exports neither
 */
export async function loadSeedModule(file: string, shown: string, parts: SeedParts): Promise<SeedModule> {
  const loaded: unknown = await import(pathToFileURL(file).href).catch(async (error: unknown) => {
    const { code } = error as { readonly code?: unknown };
    // TypeScript that nobody has compiled, where Node does not read it by itself.
    if (code !== 'ERR_UNKNOWN_FILE_EXTENSION') throw error;
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

/** Rows that come one by one say their type: `{ type: 'article', data: { … } }`. */
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

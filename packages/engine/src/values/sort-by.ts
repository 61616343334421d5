import type { Document } from 'bson';
import { EngineError, fail } from '../errors.js';
import type { Compare } from './compare.js';
import { type Hold, sortHold } from './hold.js';
import { indexKeys } from './index-keys.js';
import { withMetadata } from './metadata.js';
import { toDouble } from './numbers.js';
import { atOnce, type Flow, PAUSE, type Paced, sortPaced } from './pace.js';
import { checkPath, memberGetter } from './paths.js';
import { isDocument, isNumeric, UNDEFINED } from './types.js';
import { isTurnOver, tick } from './work.js';

const MOST_FIELDS = 32;
const ARRAY: unique symbol = Symbol('array');

/** Reads the value by which a document is sorted in one field, or reports that it meets an array. */
type ReadKey = (document: Document) => unknown;

function keyReader(path: string): ReadKey {
  const getters = path.split('.').map(memberGetter);
  const [get] = getters;
  if (getters.length === 1 && get !== undefined) {
    return (document) => {
      const value = get(document);
      return value === undefined || value === UNDEFINED ? null : Array.isArray(value) ? ARRAY : value;
    };
  }
  return (document) => {
    let value: unknown = document;
    for (const get of getters) {
      if (Array.isArray(value)) return ARRAY;
      value = isDocument(value) ? get(value) : undefined;
    }
    return value === undefined || value === UNDEFINED ? null : Array.isArray(value) ? ARRAY : value;
  };
}

function directionOf(value: unknown, path: string): 1 | -1 {
  if (!isNumeric(value)) fail(15974, `Illegal key in $sort specification: ${path}`);
  const direction = toDouble(value);
  if (direction === 1 || direction === -1) return direction;
  return fail(15975, `$sort key ordering must be 1 (for ascending) or -1 (for descending): ${path}`);
}

/** What a sort may use instead of a field's value, and MongoDB's codes for what it may not. */
const META: Readonly<Record<string, number>> = {
  textScore: 40218,
  searchScore: 31218,
  searchHighlights: 31219,
};
const RANDOM = 'randVal';

/** Whether a sort's field requests something other than a field's value: a random number. Throws for anything else. */
function isMeta(value: unknown): boolean {
  if (!isDocument(value)) return false;
  const [name, ...others] = Object.keys(value);
  if (name !== '$meta') fail(17312, '$meta is the only expression supported by $sort right now');
  if (others.length > 0) fail('FailedToParse', 'Cannot have additional keys in a $meta sort specification');
  const asked = value['$meta'];
  if (asked === RANDOM) return true;
  const code = typeof asked === 'string' ? META[asked] : undefined;
  return fail(code ?? 31138, `Illegal $meta sort: $meta: ${String(asked)}`);
}

/** A compiled sort document. */
export interface SortOrder {
  /**
   * The values by which a document is sorted: missing as null, an empty array as undefined, below null. Through an array these
   * are from the element that sorts first. Throws BadValue if two arrays are parallel.
   */
  keysOf(document: Document): readonly unknown[];
  /** Compares keys by the first `count` fields, by default all of them. */
  compareKeys(a: readonly unknown[], b: readonly unknown[], count?: number): number;
  compare(a: Document, b: Document): number;
}

/** Compiles a sort document. Throws 15974 for a direction that is not a number, 15975 for one other than 1 and -1, 13103 for more than 32 fields, as `checkPath`. */
export function compileSort(sort: Document, compare: Compare): SortOrder {
  const entries = Object.entries(sort).filter(([path]) => path !== '$natural');
  if (entries.length > MOST_FIELDS) fail(13103, 'too many compound keys');
  const paths = entries.map(([path]) => path);
  const random = entries.map(([, value]) => isMeta(value));
  const directions = entries.map(([path, value], i) => (random[i] ? 1 : directionOf(value, path)));
  for (const [i, path] of paths.entries()) if (!random[i]) checkPath(path);
  const readers = paths.map((path, i): ReadKey => (random[i] ? Math.random : keyReader(path)));

  const compareKeys = (a: readonly unknown[], b: readonly unknown[], count = readers.length): number => {
    for (let i = 0; i < count; i++) {
      const order = compare(a[i], b[i]);
      if (order !== 0) return (directions[i] as number) * order;
    }
    return 0;
  };
  const throughArrays = (document: Document): readonly unknown[] => {
    let keys: unknown[][];
    try {
      keys = indexKeys(document, paths);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      return fail('BadValue', 'cannot sort with keys that are parallel arrays');
    }
    const least = keys.reduce((best, key) => {
      tick();
      return compareKeys(key, best) < 0 ? key : best;
    });
    return least.map((key, i) => (random[i] ? Math.random() : key));
  };
  const keysOf = (document: Document): readonly unknown[] => {
    const keys: unknown[] = new Array(readers.length);
    for (let i = 0; i < readers.length; i++) {
      const key = (readers[i] as ReadKey)(document);
      if (key === ARRAY) return throughArrays(document);
      keys[i] = key;
    }
    return keys;
  };
  return { keysOf, compareKeys, compare: (a, b) => compareKeys(keysOf(a), keysOf(b)) };
}

/** An item to be sorted, with its sort key, which is the values themselves unless the order says otherwise. */
export interface Keyed<T, K = readonly unknown[]> {
  readonly keys: K;
  readonly row: T;
}

interface Placed<T, K> extends Keyed<T, K> {
  readonly place: number;
}

/**
 * Sorts rows (stable). With `most`, returns the first `most` rows and keeps no more than about twice as many.
 * None of them comes after `bound`, if it is known.
 */
export function* sortKeyed<T, K = readonly unknown[]>(
  rows: Flow<Keyed<T, K>>,
  { compareKeys }: { compareKeys(a: K, b: K): number },
  most = Number.POSITIVE_INFINITY,
  bound?: K,
): Paced<T[]> {
  const order = (a: Placed<T, K>, b: Placed<T, K>): number =>
    compareKeys(a.keys, b.keys) || a.place - b.place;
  const room = 2 * most + 64;
  let kept: Placed<T, K>[] = [];
  let last: Placed<T, K> | undefined;
  let place = 0;
  for (const item of rows) {
    if (item === PAUSE) {
      yield PAUSE;
      continue;
    }
    tick();
    // A later item comes after its equals.
    if (last !== undefined && compareKeys(item.keys, last.keys) >= 0) continue;
    if (last === undefined && bound !== undefined && compareKeys(item.keys, bound) > 0) continue;
    kept.push({ keys: item.keys, row: item.row, place: place++ });
    if (kept.length < room) continue;
    kept = (yield* sortPaced(kept, order)).slice(0, most);
    last = kept.at(-1);
  }
  const sorted = yield* sortPaced(kept, order);
  return (sorted.length > most ? sorted.slice(0, most) : sorted).map(({ row }) => row);
}

/** The documents of a stream, each with its sort key. */
function* keyed(
  documents: Flow<Document>,
  order: SortOrder,
  hold: Hold | undefined,
): Generator<typeof PAUSE | Keyed<Document>> {
  for (const document of documents) {
    if (document === PAUSE) yield PAUSE;
    else {
      if (isTurnOver()) yield PAUSE;
      hold?.add(document);
      yield { keys: order.keysOf(document), row: document };
    }
  }
}

/** Sorts the documents of a stream. */
export const sortDocuments = (
  documents: Flow<Document>,
  order: SortOrder,
  most?: number,
): Paced<Document[]> =>
  sortKeyed(keyed(documents, order, most === undefined ? sortHold() : undefined), order, most);

/** A document with its sort key. */
export const withSortKey = (document: Document, order: SortOrder): Document =>
  withMetadata(document, { sortKey: order.keysOf(document).map((key) => key ?? null) });

/** Sorts documents without a pause. */
export const sortNow = (documents: readonly Document[], order: SortOrder): Document[] =>
  atOnce(sortDocuments(documents, order));

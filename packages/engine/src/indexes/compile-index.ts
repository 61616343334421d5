import { createHash } from 'node:crypto';
import type { Document } from 'bson';
import { fail } from '../errors.js';
import { compileFilter } from '../matching/index.js';
import { rootsOf } from '../matching/roots.js';
import { storedCollation } from '../options/collation.js';
import type { CollectionMeta, IndexMeta } from '../storage/catalog.js';
import { tableKey } from '../storage/layout.js';
import type { Entry } from '../storage/view.js';
import {
  type Collation,
  collatedValue,
  type Direction,
  encodeKey,
  indexKeys,
  isMissingAt,
  isSimpleCollation,
} from '../values/index.js';
import { isArrayIndex, isWithin, member, rootOf } from '../values/paths.js';
import { isDocument } from '../values/types.js';

/**
 * The longest encoded key that is stored whole; of a longer one the beginning and a hash are stored (lmdb allows 1978 bytes per
 * key).
 */
const LONGEST_KEY = 1900;

/** An index in compiled form: how to get a document's keys. */
export interface CompiledIndex {
  readonly meta: IndexMeta;
  readonly name: string;
  readonly paths: readonly string[];
  readonly directions: readonly Direction[];
  /** The paths that contain an array in some document. */
  readonly multikey: ReadonlySet<string>;
  readonly unique: boolean;
  readonly sparse: boolean;
  readonly collation: Collation | undefined;
  /** Kinds without ordered entries (text, geo, wildcard) are listed, but have no entries and serve no queries. */
  readonly ordered: boolean;
  readonly admits: ((document: Document) => boolean) | undefined;
  readonly partialFilter: Document | undefined;
  readonly hidden: boolean;
  /** The field whose hash is stored; no field of such an index can contain arrays. */
  readonly hashedPath: string | undefined;
  /** The top-level fields that keys depend on; undefined if it could be any. */
  readonly roots: readonly string[] | undefined;
}

/** A collection's indexes, compiled, and the top-level fields that their keys depend on. */
interface CompiledCollection {
  readonly meta: CollectionMeta;
  readonly indexes: readonly CompiledIndex[];
}

function compileIndex(meta: IndexMeta): CompiledIndex {
  const { spec } = meta;
  const key = spec['key'] as Document;
  const paths = Object.keys(key);
  const ordered = paths.every((path) => !path.includes('$**')) && Object.values(key).every(isOrdered);
  const collation = storedCollation(spec['collation']);
  const partialFilter = spec['partialFilterExpression'] as Document | undefined;
  const roots = paths.map(rootOf);
  return {
    meta,
    name: spec['name'] as string,
    paths,
    directions: Object.values(key).map((value) => (Number(value) < 0 ? -1 : 1)),
    multikey: new Set(paths.filter((path) => meta.multikey.some((place) => isWithin(path, place)))),
    unique: spec['unique'] === true || (paths.length === 1 && paths[0] === '_id'),
    sparse: spec['sparse'] === true,
    collation: isSimpleCollation(collation) ? undefined : collation,
    ordered,
    admits: partialFilter === undefined ? undefined : compileFilter(partialFilter, { collation }),
    partialFilter,
    hidden: spec['hidden'] === true,
    hashedPath: paths.find((path) => key[path] === 'hashed'),
    roots: partialFilter === undefined ? roots : merged(roots, rootsOf(partialFilter, undefined)),
  };
}

const merged = (
  roots: readonly string[],
  more: ReadonlySet<string> | undefined,
): readonly string[] | undefined => (more === undefined ? undefined : [...roots, ...more]);

const isOrdered = (kind: unknown): boolean => kind === 'hashed' || !Number.isNaN(Number(kind));

const compiled = new WeakMap<CollectionMeta, CompiledCollection>();
const compiledIndexes = new WeakMap<IndexMeta, CompiledIndex>();

/** The indexes of a collection, compiled once for each description of it. */
export function compileCollection(meta: CollectionMeta): CompiledCollection {
  let found = compiled.get(meta);
  if (found === undefined) {
    const indexes = meta.indexes.map((index) => {
      const known = compiledIndexes.get(index) ?? compileIndex(index);
      compiledIndexes.set(index, known);
      return known;
    });
    found = { meta, indexes };
    compiled.set(meta, found);
  }
  return found;
}

/** A value as the index encodes it: with a collation, strings are replaced by what is equal for equal ones. */
export const indexValue = (value: unknown, collation: Collation | undefined): unknown =>
  collation === undefined ? value : collatedValue(value, collation);

/** A key of a document in an index, without table and record number, and its values. */
export interface DocumentKey {
  readonly key: Buffer;
  readonly values: readonly unknown[];
}

/** The keys of one document in one index; `cut` if one was too long to store whole. */
export interface DocumentKeys {
  readonly keys: readonly DocumentKey[];
  readonly cut: boolean;
  readonly multikey: readonly string[];
}

/** The result for a document that the index does not include. */
export const NO_KEYS: DocumentKeys = { keys: [], cut: false, multikey: [] };
/** The value of entries whose record number is in the key. */
const NOTHING = Buffer.alloc(0);

/** A key short enough for lmdb. */
export function fitKey(key: Buffer): Buffer {
  if (key.length <= LONGEST_KEY) return key;
  return Buffer.concat([key.subarray(0, LONGEST_KEY), createHash('sha1').update(key).digest()]);
}

/** Computes a document's keys in an index: none if the index does not include the document. */
export function documentKeys(index: CompiledIndex, document: Document): DocumentKeys {
  if (!index.ordered) return NO_KEYS;
  if (index.admits !== undefined && !index.admits(document)) return NO_KEYS;
  if (index.sparse && index.paths.every((path) => isMissingAt(document, path))) return NO_KEYS;
  if (index.hashedPath !== undefined) for (const path of index.paths) checkHashed(document, path);
  const { collation, directions } = index;
  const all = indexKeys(document, index.paths);
  const multikey =
    all.length === 1 && !holdsArray(document, index.paths) ? [] : arrayPlaces(document, index.paths);
  const seen = new Map<string, DocumentKey>();
  let cut = false;
  for (const values of all) {
    const whole = encodeKey(
      collation === undefined ? values : values.map((v) => indexValue(v, collation)),
      directions,
    );
    const key = fitKey(whole);
    if (key !== whole) cut = true;
    if (all.length === 1) return { keys: [{ key, values }], cut, multikey };
    seen.set(key.toString('latin1'), { key, values });
  }
  return { keys: [...seen.values()], cut, multikey };
}

function checkHashed(document: Document, path: string): void {
  if (meetsArray(document, path.split('.'), 0)) {
    fail(16766, `hashed indexes do not currently support array values. Found array at path: ${path}`);
  }
}

function meetsArray(value: unknown, parts: readonly string[], at: number): boolean {
  if (Array.isArray(value)) return true;
  if (at === parts.length || typeof value !== 'object' || value === null) return false;
  return meetsArray((value as Document)[parts[at] as string], parts, at + 1);
}

/** The positions of arrays on the paths of a document. */
function arrayPlaces(document: Document, paths: readonly string[]): string[] {
  const found = new Set<string>();
  const walk = (value: unknown, parts: readonly string[], at: number): void => {
    if (Array.isArray(value)) {
      found.add(parts.slice(0, at).join('.'));
      if (at === parts.length) return;
      for (const item of value) if (isDocument(item)) walk(item, parts, at);
      const name = parts[at] as string;
      if (isArrayIndex(name)) walk(value[Number(name)], parts, at + 1);
    } else if (at < parts.length && isDocument(value))
      walk(member(value, parts[at] as string), parts, at + 1);
  };
  for (const path of paths) walk(document, path.split('.'), 0);
  return [...found];
}

const holdsArray = (document: Document, paths: readonly string[]): boolean =>
  paths.some((path) =>
    path.includes('.') ? meetsArray(document, path.split('.'), 0) : Array.isArray(document[path]),
  );

/** The stored key of an index entry: unique indexes have the record number in the value, others at the end of the key. */
export const entryKey = (index: CompiledIndex, key: Buffer, record: Buffer): Buffer =>
  index.unique ? tableKey(index.meta.table, key) : tableKey(index.meta.table, key, record);

/** The stored entry of a key. */
export const entryOf = (index: CompiledIndex, key: Buffer, record: Buffer): Entry => ({
  key: entryKey(index, key, record),
  value: index.unique ? record : NOTHING,
});

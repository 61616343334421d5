import type { Document } from 'bson';
import { EngineError } from '../errors.js';
import type { CollectionMeta } from '../storage/catalog.js';
import { namespaceOf } from '../storage/catalog.js';
import { recordBytes } from '../storage/layout.js';
import type { Writable } from '../storage/view.js';
import { shellText } from '../values/shell-text.js';
import {
  type CompiledIndex,
  compileCollection,
  type DocumentKeys,
  documentKeys,
  entryKey,
} from './compile-index.js';
import { type IndexNotes, noteIndex } from './notes.js';

const NONE = Buffer.alloc(0);

/** The entries of one document before and after a write. */
interface Entries {
  readonly index: CompiledIndex;
  readonly removed: readonly Buffer[];
  readonly added: readonly Buffer[];
}

/** The error of a unique index, with what the driver shows: keyPattern and keyValue. */
export function duplicateKey(
  collection: CollectionMeta,
  index: CompiledIndex,
  values: readonly unknown[],
): EngineError {
  const keyPattern = index.meta.spec['key'] as Document;
  const keyValue = Object.fromEntries(index.paths.map((path, i) => [path, values[i] ?? null]));
  const shown = index.paths.map((path, i) => `${path}: ${shellText(values[i] ?? null)}`).join(', ');
  return new EngineError(
    'DuplicateKey',
    `E11000 duplicate key error collection: ${namespaceOf(collection.db, collection.name)} index: ${index.name} dup key: { ${shown} }`,
    { keyPattern, keyValue },
  );
}

/** Where a document's entries are written. */
interface Place {
  readonly view: Writable;
  readonly collection: CollectionMeta;
  readonly record: Buffer;
}

function checkUnique({ view, collection, record }: Place, index: CompiledIndex, keys: DocumentKeys): void {
  keys.keys.forEach((key, i) => {
    const stored = entryKey(index, key, record);
    view.lock(stored);
    const holder = view.get(stored);
    if (holder !== undefined && !holder.equals(record)) {
      throw duplicateKey(collection, index, keys.values[i] ?? []);
    }
  });
}

const sameKeys = (a: readonly Buffer[], b: readonly Buffer[]): boolean =>
  a.length === b.length && a.every((key, i) => key.equals(b[i] as Buffer));

function difference(
  index: CompiledIndex,
  before: readonly Buffer[],
  after: readonly Buffer[],
  record: Buffer,
): Entries {
  if (sameKeys(before, after)) return { index, removed: [], added: [] };
  const kept = new Set(after.map((key) => key.toString('latin1')));
  const had = new Set(before.map((key) => key.toString('latin1')));
  const stored = (key: Buffer) => entryKey(index, key, record);
  return {
    index,
    removed: before.filter((key) => !kept.has(key.toString('latin1'))).map(stored),
    added: after.filter((key) => !had.has(key.toString('latin1'))).map(stored),
  };
}

/** Whether an update left everything that an index looks at as it was; updates share what they do not change. */
const isUntouched = (
  index: CompiledIndex,
  before: Document | undefined,
  after: Document | undefined,
): boolean =>
  before !== undefined &&
  after !== undefined &&
  index.roots?.every((root) => before[root] === after[root]) === true;

/**
 * Brings all indexes of a collection from one state of a document to another (either may be undefined). Every unique
 * index is checked before anything is written, so a refused write leaves nothing behind. Returns the collection's
 * description, changed if an index met its first array or over-long key.
 */
export function maintainIndexes(
  view: Writable,
  collection: CollectionMeta,
  recordNumber: number,
  { before, after }: { readonly before?: Document; readonly after?: Document },
): CollectionMeta {
  const record = recordBytes(recordNumber);
  const entries: Entries[] = [];
  const notes = new Map<number, IndexNotes>();
  for (const index of compileCollection(collection).indexes) {
    if (isUntouched(index, before, after)) continue;
    const old = before === undefined ? [] : documentKeys(index, before).keys;
    const fresh = after === undefined ? undefined : documentKeys(index, after);
    if (fresh !== undefined && index.unique && !sameKeys(old, fresh.keys)) {
      checkUnique({ view, collection, record }, index, fresh);
    }
    if (fresh !== undefined && (fresh.cut || fresh.multikey.length > 0)) notes.set(index.meta.table, fresh);
    entries.push(difference(index, old, fresh?.keys ?? [], record));
  }
  for (const { index, removed, added } of entries) {
    for (const key of removed) {
      if (index.unique) view.lock(key);
      view.remove(key);
    }
    for (const key of added) view.put(key, index.unique ? record : NONE);
  }
  return notes.size === 0 ? collection : saveNotes(view, collection, notes);
}

function saveNotes(
  view: Writable,
  collection: CollectionMeta,
  notes: ReadonlyMap<number, IndexNotes>,
): CollectionMeta {
  const indexes = collection.indexes.map((index) => {
    const found = notes.get(index.table);
    return found === undefined ? index : noteIndex(index, found);
  });
  if (indexes.every((index, i) => index === collection.indexes[i])) return collection;
  const changed = { ...collection, indexes };
  view.saveCollection(changed);
  return changed;
}

/** The number of a document's record, and its keys in an index. */
export interface RecordKeys {
  readonly record: number;
  readonly keys: DocumentKeys;
}

/** Adds one document's entries to a single new index. Throws the duplicate key error. */
export function addKeys(
  view: Writable,
  collection: CollectionMeta,
  index: CompiledIndex,
  stored: RecordKeys,
): void {
  const { keys } = stored;
  const record = recordBytes(stored.record);
  if (index.unique) checkUnique({ view, collection, record }, index, keys);
  for (const key of keys.keys) view.put(entryKey(index, key, record), index.unique ? record : NONE);
}

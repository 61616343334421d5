import type { Document } from 'bson';
import { EngineError } from '../errors.js';
import type { CollectionMeta } from '../storage/catalog.js';
import { namespaceOf } from '../storage/catalog.js';
import { recordBytes } from '../storage/layout.js';
import type { Entry, Writable } from '../storage/view.js';
import { shellText } from '../values/shell-text.js';
import {
  type CompiledIndex,
  compileCollection,
  type DocumentKey,
  type DocumentKeys,
  documentKeys,
  entryKey,
  entryOf,
  NO_KEYS,
} from './compile-index.js';
import { type IndexNotes, noteIndex } from './notes.js';

/** The entries of one document before and after a write. */
interface Entries {
  readonly index: CompiledIndex;
  readonly removed: readonly Buffer[];
  readonly added: readonly Entry[];
}

/** The error of a unique index, with the fields that the driver shows: keyPattern and keyValue. */
function duplicateKey(
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
  for (const { key, values } of keys.keys) {
    const stored = entryKey(index, key, record);
    view.lock(stored);
    const holder = view.get(stored);
    if (holder !== undefined && !holder.subarray(0, record.length).equals(record)) {
      throw duplicateKey(collection, index, values);
    }
  }
}

const sameKeys = (a: DocumentKeys, b: DocumentKeys): boolean =>
  a.keys.length === b.keys.length && a.keys.every(({ key }, i) => b.keys[i]?.key.equals(key) === true);

const textOf = ({ key }: DocumentKey): string => key.toString('latin1');

function difference(
  index: CompiledIndex,
  before: DocumentKeys,
  after: DocumentKeys,
  record: Buffer,
): Entries {
  if (sameKeys(before, after)) return { index, removed: [], added: [] };
  const kept = new Set(after.keys.map(textOf));
  const had = new Set(before.keys.map(textOf));
  const removed = before.keys.filter((key) => !kept.has(textOf(key)));
  const added = after.keys.filter((key) => !had.has(textOf(key)));
  return {
    index,
    removed: removed.map(({ key }) => entryKey(index, key, record)),
    added: added.map(({ key }) => entryOf(index, key, record)),
  };
}

/** Whether an update left everything unchanged that an index uses; unchanged values are the same objects. */
const isUntouched = (
  index: CompiledIndex,
  before: Document | undefined,
  after: Document | undefined,
): boolean =>
  before !== undefined &&
  after !== undefined &&
  index.roots?.every((root) => before[root] === after[root]) === true;

/**
 * Updates all indexes of a collection from one state of a document to another (either may be undefined). Every unique index is
 * checked before anything is written, so a rejected write leaves nothing behind. Returns the collection's description, changed if
 * an index met its first array or over-long key.
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
    const old = before === undefined ? NO_KEYS : documentKeys(index, before);
    const fresh = after === undefined ? NO_KEYS : documentKeys(index, after);
    if (index.unique && !sameKeys(old, fresh)) {
      checkUnique({ view, collection, record }, index, fresh);
    }
    if (fresh.cut || fresh.multikey.length > 0) notes.set(index.meta.table, fresh);
    entries.push(difference(index, old, fresh, record));
  }
  for (const { index, removed, added } of entries) {
    for (const key of removed) {
      if (index.unique) view.lock(key);
      view.remove(key);
    }
    for (const { key, value } of added) view.put(key, value);
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
interface RecordKeys {
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
  for (const own of keys.keys) {
    const { key, value } = entryOf(index, own.key, record);
    view.put(key, value);
  }
}

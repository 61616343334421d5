import type { CollectionMeta, IndexMeta } from '../storage/catalog.js';

/** What writing keys has shown about an index: positions where arrays occurred, and whether a key had to be cut. */
export interface IndexNotes {
  readonly multikey: readonly string[];
  readonly cut: boolean;
}

/** An index with additional notes; the same value if they contain nothing new. */
export function noteIndex(index: IndexMeta, notes: IndexNotes): IndexMeta {
  const fresh = notes.multikey.filter((path) => !index.multikey.includes(path));
  if (fresh.length === 0 && (!notes.cut || index.cut)) return index;
  const multikey = [...index.multikey, ...fresh];
  return notes.cut || index.cut ? { ...index, multikey, cut: true } : { ...index, multikey };
}

/** A collection with the notes of another description of it; the same value if they contain nothing new. */
export function mergeIndexNotes(collection: CollectionMeta, other: CollectionMeta): CollectionMeta {
  const indexes = collection.indexes.map((index) => {
    const notes = other.indexes.find((candidate) => candidate.table === index.table);
    return notes === undefined
      ? index
      : noteIndex(index, { multikey: notes.multikey, cut: notes.cut === true });
  });
  const changed = indexes.some((index, i) => index !== collection.indexes[i]);
  return changed ? { ...collection, indexes } : collection;
}

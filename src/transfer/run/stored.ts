import { memberOf } from '../../values/once-per.js';

/** The key of a stored entry: a document has at most one per locale and collection. */
export const storedKey = (collection: string, documentId: unknown, locale: unknown): string =>
  [collection, documentId, locale ?? ''].join(' ');

/** Reads these documents, collection by collection, and returns the results by `storedKey`. */
export async function readStored<T extends { readonly documentId?: unknown; readonly locale?: unknown }>(
  wanted: Iterable<{ readonly collection: string; readonly documentId: string }>,
  read: (collection: string, documentIds: readonly string[]) => Promise<readonly T[]>,
): Promise<ReadonlyMap<string, T>> {
  const idsIn = new Map<string, Set<string>>();
  for (const { collection, documentId } of wanted)
    memberOf(idsIn, collection, () => new Set()).add(documentId);
  const found = new Map<string, T>();
  for (const [collection, ids] of idsIn)
    for (const one of await read(collection, [...ids]))
      found.set(storedKey(collection, one.documentId, one.locale), one);
  return found;
}

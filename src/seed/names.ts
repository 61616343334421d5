import { collectionName } from '../schema/stored/collections.js';
import type { ContentType } from '../schema/types.js';
import type { Store } from '../store/client.js';
import { memberOf } from '../values/once-per.js';
import type { PlainObject } from '../values/plain-object.js';

/** Finds documents by the values of an attribute. The values are read once and then kept up to date. */
export interface NamedDocuments {
  /** Loads the documentIds by the values of an attribute, which may be `documentId`. */
  load(type: ContentType, attribute: string): Promise<ReadonlyMap<string, string>>;
  /** Searches the loaded values. */
  find(type: ContentType, attribute: string, text: string): string | undefined;
  /** Adds a document that was stored. */
  note(type: ContentType, documentId: string, data: PlainObject): void;
}

/** The stored documents of a type, each with its documentId and the value of an attribute. */
type StoredNames = (type: ContentType, attribute: string) => AsyncIterable<PlainObject>;

export const namesIn =
  ({ db }: Store): StoredNames =>
  (type, attribute) =>
    db
      .collection(collectionName(type, 'draft'))
      .find({}, { projection: { _id: 0, documentId: 1, [attribute]: 1 }, batchSize: 10_000 });

export function createNames(stored: StoredNames): NamedDocuments {
  const loaded = new Map<string, Map<string, Promise<Map<string, string>>>>();
  const known = new Map<string, Map<string, Map<string, string>>>();

  const read = async (type: ContentType, attribute: string): Promise<Map<string, string>> => {
    const ids = new Map<string, string>();
    for await (const { documentId, [attribute]: value } of stored(type, attribute))
      if (value !== null && value !== undefined) ids.set(String(value), String(documentId));
    memberOf(known, type.uid, () => new Map()).set(attribute, ids);
    return ids;
  };

  return {
    load(type, attribute) {
      const of = memberOf(loaded, type.uid, () => new Map());
      return memberOf(of, attribute, () => read(type, attribute));
    },
    find: (type, attribute, text) => known.get(type.uid)?.get(attribute)?.get(text),
    note(type, documentId, data) {
      for (const [attribute, ids] of known.get(type.uid) ?? []) {
        const value = attribute === 'documentId' ? documentId : data[attribute];
        if (value !== null && value !== undefined) ids.set(String(value), documentId);
      }
    },
  };
}

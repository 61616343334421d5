import { walkAllItems } from '../../documents/plan/items.js';
import { existingType } from '../../schema/find.js';
import { statusesOf } from '../../schema/stored/collections.js';
import { ROLE_UID } from '../../schema/uids.js';
import type { Entry } from '../../store/entries/changes.js';
import { objectAt, type PlainObject } from '../../values/plain-object.js';
import { Lookup } from './lookup.js';
import type { Stored } from './stored.js';

/**
 * Entries and component items as stored, by their ids. An answer does not tell what is null from what is
 * missing, nor does it have the references that are returned as bare ids.
 */
export interface Stored3 {
  entry(uid: string, id: unknown): Entry | undefined;
  item(uid: string, id: unknown): Entry | undefined;
  role(documentId: string): Entry | undefined;
}

/** What a document of Strapi 3 had and its entry or item has no place for, by its names there. */
export const strapi3FieldsOf = (stored: Entry | undefined): PlainObject => objectAt(stored, '_strapi3');

const key = (uid: string, id: unknown): string => `${uid} ${String(id)}`;

/** What an answer takes from the entries in it as they are stored. */
export function storedEntries({ schema, entries: read }: Stored): {
  readonly stored: Stored3;
  readonly lookups: readonly Pick<Lookup<string, unknown>, 'load'>[];
} {
  const items = new Map<string, Entry>();
  const entries = new Lookup<number, Entry>(async (uid, ids) => {
    const type = schema.contentTypes.get(uid);
    if (!type || type.storage) return [];
    // Ids are unique across versions, so every version can be queried for all of them.
    const versions = statusesOf(type).map((status) => read(type, status, { id: { $in: ids } }));
    const found = (await Promise.all(versions)).flat();
    for (const entry of found)
      for (const { item, model } of walkAllItems(schema, type, entry))
        items.set(key(model.uid, item['id']), item);
    return found.map((entry) => [Number(entry['id']), entry]);
  });
  const roles = new Lookup<string, Entry>(async (uid, documentIds) => {
    const found = await read(existingType(schema, uid), 'published', { documentId: { $in: documentIds } });
    return found.map((role) => [String(role['documentId']), role]);
  });
  return {
    stored: {
      entry: (uid, id) => (typeof id === 'number' ? entries.get(uid, id) : undefined),
      item: (uid, id) => items.get(key(uid, id)),
      role: (documentId) => roles.get(ROLE_UID, documentId),
    },
    lookups: [entries, roles],
  };
}

import { walkAllItems } from '../../documents/plan/items.js';
import { statusesOf } from '../../schema/stored/collections.js';
import type { ContentType } from '../../schema/types.js';
import { ROLE_UID, USER_UID } from '../../schema/uids.js';
import type { Entry } from '../../store/entries/changes.js';
import { memberOf } from '../../values/once-per.js';
import { objectAt, type PlainObject } from '../../values/plain-object.js';
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

/**
 * On a first pass, collects the entries in a body and treats all of them as unknown; `read` then reads them.
 */
export function collectStored({ schema, entries: read }: Stored): {
  readonly met: Stored3;
  read(): Promise<Stored3>;
} {
  const wanted = new Map<string, Set<number>>();
  const met: Stored3 = {
    entry(uid, id) {
      if (typeof id === 'number') memberOf(wanted, uid, () => new Set()).add(id);
      return undefined;
    },
    item: () => undefined,
    role: () => undefined,
  };
  return {
    met,
    async read() {
      const entries = new Map<string, Entry>();
      const items = new Map<string, Entry>();
      const roles = new Map<string, Entry>();
      const readType = async (type: ContentType, ids: readonly number[]): Promise<void> => {
        // Ids are unique across versions, so every version can be queried for all of them.
        for (const status of statusesOf(type))
          for (const entry of await read(type, status, { id: { $in: ids } })) {
            entries.set(key(type.uid, entry['id']), entry);
            for (const { item, model } of walkAllItems(schema, type, entry))
              items.set(key(model.uid, item['id']), item);
          }
      };
      const types = [...wanted].flatMap(([uid, ids]) => {
        const type = schema.contentTypes.get(uid);
        return type && !type.storage ? [readType(type, [...ids])] : [];
      });
      await Promise.all(types);
      const named = [...(wanted.get(USER_UID) ?? [])].flatMap((id) => {
        const role = entries.get(key(USER_UID, id))?.['role'];
        return typeof role === 'string' ? [role] : [];
      });
      const roleType = schema.contentTypes.get(ROLE_UID);
      if (named.length > 0 && roleType)
        for (const role of await read(roleType, 'published', { documentId: { $in: [...new Set(named)] } }))
          roles.set(String(role['documentId']), role);
      return {
        entry: (uid, id) => entries.get(key(uid, id)),
        item: (uid, id) => items.get(key(uid, id)),
        role: (documentId) => roles.get(documentId),
      };
    },
  };
}

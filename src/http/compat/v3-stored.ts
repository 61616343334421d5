import { walkAllItems } from '../../documents/plan/items.js';
import { collectionName } from '../../pipeline/collection.js';
import type { ContentType, Model } from '../../schema/types.js';
import { ROLE_UID, USER_UID } from '../../schema/uids.js';
import { collectionsOf } from '../../store/connection/collections.js';
import type { Entry } from '../../store/entries/changes.js';
import { readEntries } from '../../store/entries/entries.js';
import { memberOf } from '../../values/once-per.js';
import { isObject } from '../../values/plain-object.js';
import type { Stored } from './items.js';

/**
 * Entries and component items as stored, by their ids: for references that are shown as bare ids, and for
 * what the import kept from Strapi 3.
 */
export interface Stored3 {
  entry(uid: string, id: unknown): Entry | undefined;
  item(uid: string, id: unknown): Entry | undefined;
  role(documentId: string): Entry | undefined;
}

/** What the import kept of an entry or item (src/transfer/strapi3/entry-reader.ts). */
export interface Kept3 extends Readonly<Record<string, unknown>> {
  readonly _id?: unknown;
  readonly __v?: unknown;
  /** Attributes that were null; others without a value were absent. */
  readonly _nulls?: unknown;
  /** Ids of the other locales, in order. */
  readonly _localizations?: unknown;
  /** Timestamps that were absent. */
  readonly _absent?: unknown;
  /** Values that Strapi 3 returned in a different form, by attribute. */
  readonly _shown?: unknown;
}

export const keptOf = (stored: Entry | undefined): Kept3 => {
  const kept = stored?.['_strapi3'];
  return isObject(kept) ? kept : {};
};

const key = (uid: string, id: unknown): string => `${uid} ${String(id)}`;

/**
 * On a first pass, collects the entries in a body and treats all of them as unknown; `read` then reads them.
 */
export function collectStored({ store, schema }: Stored): {
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
        // Ids are unique across versions, so every collection can be queried for all of them.
        for (const collection of collectionsOf(type))
          for (const entry of await readEntries(store.db, collection, { id: { $in: ids } }, fieldsOf(type))) {
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
        for (const role of await readEntries(store.db, collectionName(roleType, 'published'), {
          documentId: { $in: [...new Set(named)] },
        }))
          roles.set(String(role['documentId']), role);
      return {
        entry: (uid, id) => entries.get(key(uid, id)),
        item: (uid, id) => items.get(key(uid, id)),
        role: (documentId) => roles.get(documentId),
      };
    },
  };
}

const fieldsOf = ({ attributes }: Model) => ({
  fields: [
    'id',
    'documentId',
    '_strapi3',
    '_links',
    ...[...attributes.values()]
      .filter(({ kind, system }) => kind !== 'scalar' && !system)
      .map(({ name }) => name),
  ],
});

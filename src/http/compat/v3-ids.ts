import { collectionName } from '../../pipeline/collection.js';
import type { ContentType } from '../../schema/types.js';
import { readEntries } from '../../store/entries/entries.js';
import { memberOf } from '../../values/once-per.js';
import { objectAt, textOf } from '../../values/plain-object.js';
import type { EntryKey, Stored } from './items.js';

/**
 * Ids of Strapi 3. There, each locale of an entry has its own id; here, all belong to one document, and the
 * import keeps the old ids of localizations with the entries. A locale created later is identified by its
 * documentId and code.
 */
export interface OldIds {
  /** The id by which clients know a row. */
  idOf(uid: string, documentId: string, locale: string | null): string;
  /** The row with this id; an unknown id is treated as a documentId. */
  rowOf(uid: string, id: string): EntryKey;
}

/** Whether each locale of this type's entries has its own id. */
const hasOldIds = (type: ContentType | undefined): type is ContentType =>
  type?.localized === true && type.origin === 'api';

const BETWEEN = ':';

const keyOf = (uid: string, documentId: string, locale: string | null): string =>
  [uid, documentId, locale ?? ''].join(' ');

interface Wanted {
  readonly documentIds: Map<string, Set<string>>;
  readonly ids: Map<string, Set<string>>;
}

/** For a first pass over a query or body: collects the ids to look up and treats all of them as unknown. */
export function collectIds(): { readonly ids: OldIds; readonly wanted: Wanted } {
  const wanted: Wanted = { documentIds: new Map(), ids: new Map() };
  const note = (of: Map<string, Set<string>>, uid: string, value: string): void => {
    memberOf(of, uid, () => new Set()).add(value);
  };
  return {
    wanted,
    ids: {
      idOf(uid, documentId) {
        note(wanted.documentIds, uid, documentId);
        return documentId;
      },
      rowOf(uid, id) {
        note(wanted.ids, uid, id);
        return { documentId: id, locale: null };
      },
    },
  };
}

interface Deps extends Stored {
  readonly defaultLocale: string;
}

/** Looks up the ids that a first pass collected. */
export async function lookUpIds({ store, schema, defaultLocale }: Deps, wanted: Wanted): Promise<OldIds> {
  const rows = new Map<string, EntryKey>();
  const ids = new Map<string, string>();
  for (const uid of new Set([...wanted.ids.keys(), ...wanted.documentIds.keys()])) {
    const type = schema.contentTypes.get(uid);
    if (!hasOldIds(type)) continue;
    const where = {
      $or: [
        { '_strapi3._id': { $in: [...(wanted.ids.get(uid) ?? [])] } },
        { documentId: { $in: [...(wanted.documentIds.get(uid) ?? [])] } },
      ],
    };
    for (const status of ['draft', 'published'] as const)
      for (const row of await readEntries(store.db, collectionName(type, status), where, {
        fields: ['documentId', 'locale', '_strapi3._id'],
      })) {
        const old = objectAt(row, '_strapi3')['_id'];
        if (typeof old !== 'string') continue;
        const place = { documentId: String(row['documentId']), locale: textOf(row['locale']) };
        rows.set(`${uid} ${old}`, place);
        ids.set(keyOf(uid, place.documentId, place.locale), old);
      }
  }
  return {
    idOf(uid, documentId, locale) {
      const old = ids.get(keyOf(uid, documentId, locale));
      if (old !== undefined || !hasOldIds(schema.contentTypes.get(uid))) return old ?? documentId;
      return locale === null || locale === defaultLocale ? documentId : `${documentId}${BETWEEN}${locale}`;
    },
    rowOf(uid, id) {
      const row = rows.get(`${uid} ${id}`);
      if (row || !hasOldIds(schema.contentTypes.get(uid))) return row ?? { documentId: id, locale: null };
      const [documentId = '', locale = null] = id.split(BETWEEN);
      return { documentId, locale };
    },
  };
}

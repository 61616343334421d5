import { collectionName, statusesOf } from '../../schema/stored/collections.js';
import type { ContentType } from '../../schema/types.js';
import { readEntries } from '../../store/entries/entries.js';
import { addTo } from '../../values/group.js';
import { memberOf } from '../../values/once-per.js';
import { objectAt, textOf } from '../../values/plain-object.js';
import type { Stored } from './items.js';

/** One locale of a document; undefined: not known to be one of a type with locales. */
export interface Place {
  readonly documentId: string;
  readonly locale: string | null | undefined;
}

export interface Localization {
  readonly locale: string | null;
  readonly isPublished: boolean;
}

/**
 * Ids of Strapi 3. There, each locale of an entry has its own id; here, all belong to one document, and the
 * import keeps the old ids of localizations with the entries. A locale created later is identified by its
 * documentId and code.
 */
export interface OldIds {
  /** The id by which clients know a row. */
  idOf(uid: string, documentId: string, locale: string | null): string;
  /** The row with this id; an unknown id is treated as a documentId. */
  rowOf(uid: string, id: string): Place;
  /** Whether the row has a published version. */
  isPublished(uid: string, place: Place): boolean;
  /** All locales of a document. */
  localesOf(uid: string, documentId: string): readonly Localization[];
}

/** Whether each locale of this type's entries has its own id. */
const hasOldIds = (type: ContentType | undefined): type is ContentType =>
  type?.localized === true && type.origin === 'api';

const BETWEEN = ':';

const keyOf = (...parts: readonly (string | null | undefined)[]): string =>
  parts.map((part) => part ?? '').join(' ');

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
        return { documentId: id, locale: undefined };
      },
      isPublished(uid, { documentId }) {
        note(wanted.documentIds, uid, documentId);
        return true;
      },
      localesOf(uid, documentId) {
        note(wanted.documentIds, uid, documentId);
        return [];
      },
    },
  };
}

interface Deps extends Stored {
  readonly defaultLocale: string;
}

/** Looks up the ids that a first pass collected. */
export async function lookUpIds({ store, schema, defaultLocale }: Deps, wanted: Wanted): Promise<OldIds> {
  const rows = new Map<string, Place>();
  const ids = new Map<string, string>();
  const published = new Set<string>();
  const locales = new Map<string, (string | null)[]>();
  for (const uid of new Set([...wanted.ids.keys(), ...wanted.documentIds.keys()])) {
    const type = schema.contentTypes.get(uid);
    if (type?.origin !== 'api' || type.storage || !(type.localized || type.draftAndPublish)) continue;
    const old = [...(wanted.ids.get(uid) ?? [])];
    const documentIds = [...(wanted.documentIds.get(uid) ?? []), ...(type.localized ? [] : old)];
    const where = { $or: [{ '_strapi3._id': { $in: old } }, { documentId: { $in: documentIds } }] };
    for (const status of statusesOf(type))
      for (const row of await readEntries(store.db, collectionName(type, status), where, {
        fields: ['documentId', 'locale', '_strapi3._id'],
      })) {
        const place = { documentId: String(row['documentId']), locale: textOf(row['locale']) };
        const key = keyOf(uid, place.documentId, place.locale);
        if (status === 'published') published.add(key);
        if (!type.localized) continue;
        const known = memberOf(locales, keyOf(uid, place.documentId), () => []);
        if (!known.includes(place.locale)) addTo(locales, keyOf(uid, place.documentId), place.locale);
        const id = objectAt(row, '_strapi3')['_id'];
        if (typeof id !== 'string') continue;
        rows.set(keyOf(uid, id), place);
        ids.set(key, id);
      }
  }
  const isPublished: OldIds['isPublished'] = (uid, { documentId, locale }) => {
    const type = schema.contentTypes.get(uid);
    return type?.draftAndPublish !== true || published.has(keyOf(uid, documentId, locale));
  };
  const rowOf: OldIds['rowOf'] = (uid, id) => {
    const row = rows.get(keyOf(uid, id));
    if (row || !hasOldIds(schema.contentTypes.get(uid))) return row ?? { documentId: id, locale: undefined };
    const [documentId = '', locale] = id.split(BETWEEN);
    return { documentId, locale };
  };
  return {
    rowOf,
    isPublished,
    localesOf: (uid, documentId) =>
      (locales.get(keyOf(uid, documentId)) ?? []).map((locale) => ({
        locale,
        isPublished: isPublished(uid, { documentId, locale }),
      })),
    idOf(uid, documentId, locale) {
      const old = ids.get(keyOf(uid, documentId, locale));
      if (old !== undefined || !hasOldIds(schema.contentTypes.get(uid))) return old ?? documentId;
      return locale === null || locale === defaultLocale ? documentId : `${documentId}${BETWEEN}${locale}`;
    },
  };
}

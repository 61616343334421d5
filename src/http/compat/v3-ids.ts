import { statusesOf } from '../../schema/stored/collections.js';
import type { ContentType } from '../../schema/types.js';
import { addTo } from '../../values/group.js';
import { memberOf } from '../../values/once-per.js';
import { objectAt, textOf } from '../../values/plain-object.js';
import type { Stored } from './stored.js';

/** One locale of a document; undefined: not known to be one of a type with locales. */
export interface Place {
  readonly documentId: string;
  readonly locale: string | null | undefined;
}

interface Localization {
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
  /** Whether the row has a version that the caller may see; `drafts`: a draft is one. */
  isKnown(uid: string, place: Place, drafts: boolean): boolean;
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
      isKnown(uid, { documentId }) {
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

/** Of documents of types with rules, the places with a version that the caller may read. */
async function shownPlaces(stored: Stored, wanted: Wanted['documentIds']): Promise<ReadonlySet<string>> {
  const shown = new Set<string>();
  for (const [uid, documentIds] of wanted) {
    const type = stored.schema.contentTypes.get(uid);
    if (!type || !stored.isRuled(uid)) continue;
    for (const status of statusesOf(type))
      for (const row of await stored.shown(type, status, { documentId: { $in: [...documentIds] } }))
        shown.add(keyOf(uid, String(row['documentId']), textOf(row['locale'])));
  }
  return shown;
}

/** Looks up the ids that a first pass collected. */
export async function lookUpIds(stored: Stored, defaultLocale: string, wanted: Wanted): Promise<OldIds> {
  const { schema } = stored;
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
      for (const row of await stored.entries(type, status, where, {
        fields: ['id', 'documentId', 'locale', '_strapi3._id'],
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
  const shown = await shownPlaces(stored, wanted.documentIds);
  const isKnown: OldIds['isKnown'] = (uid, { documentId, locale }, drafts) => {
    const key = keyOf(uid, documentId, locale);
    if (stored.isRuled(uid) && !shown.has(key)) return false;
    return drafts || schema.contentTypes.get(uid)?.draftAndPublish !== true || published.has(key);
  };
  const rowOf: OldIds['rowOf'] = (uid, id) => {
    const row = rows.get(keyOf(uid, id));
    if (row || !hasOldIds(schema.contentTypes.get(uid))) return row ?? { documentId: id, locale: undefined };
    const [documentId = '', locale] = id.split(BETWEEN);
    return { documentId, locale };
  };
  return {
    rowOf,
    isKnown,
    localesOf: (uid, documentId) =>
      (locales.get(keyOf(uid, documentId)) ?? []).map((locale) => ({
        locale,
        isPublished: isKnown(uid, { documentId, locale }, false),
      })),
    idOf(uid, documentId, locale) {
      const old = ids.get(keyOf(uid, documentId, locale));
      if (old !== undefined || !hasOldIds(schema.contentTypes.get(uid))) return old ?? documentId;
      return locale === null || locale === defaultLocale ? documentId : `${documentId}${BETWEEN}${locale}`;
    },
  };
}

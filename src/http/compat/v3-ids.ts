import { statusesOf } from '../../schema/stored/collections.js';
import type { ContentType } from '../../schema/types.js';
import type { EntryFilter } from '../../store/entries/entries.js';
import { groupBy } from '../../values/group.js';
import { objectAt, textOf } from '../../values/plain-object.js';
import { Lookup } from './lookup.js';
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

const key = (documentId: string, locale: string | null | undefined): string =>
  `${documentId} ${locale ?? ''}`;

/** One version of a row, with the id that it had in Strapi 3; null: none. */
interface StoredRow {
  readonly documentId: string;
  readonly locale: string | null;
  readonly old: string | null;
  readonly isPublished: boolean;
}

async function rowsOf(stored: Stored, type: ContentType, where: EntryFilter): Promise<readonly StoredRow[]> {
  const fields = ['id', 'documentId', 'locale', '_strapi3._id'];
  const versions = statusesOf(type).map(async (status) =>
    (await stored.entries(type, status, where, { fields })).map((row) => ({
      documentId: String(row['documentId']),
      locale: textOf(row['locale']),
      old: textOf(objectAt(row, '_strapi3')['_id']),
      isPublished: status === 'published',
    })),
  );
  return (await Promise.all(versions)).flat();
}

/** Of documents of a type with rules, the places with a version that the caller may read. */
async function shownPlaces(
  stored: Stored,
  type: ContentType,
  documentIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const filters = { documentId: { $in: [...documentIds] } };
  const versions = await Promise.all(statusesOf(type).map((status) => stored.shown(type, status, filters)));
  return new Set(versions.flat().map((row) => key(String(row['documentId']), textOf(row['locale']))));
}

/** What is known of a document. */
interface Known {
  readonly rows: readonly StoredRow[];
  /** Null: no rules hide any. */
  readonly shown: ReadonlySet<string> | null;
}

/** The ids of one caller, and what they are looked up by. */
export function oldIds(
  stored: Stored,
  defaultLocale: string,
): { readonly ids: OldIds; readonly lookups: readonly Pick<Lookup<string, unknown>, 'load'>[] } {
  const { contentTypes } = stored.schema;
  const places = new Lookup<string, Place>(async (uid, ids) => {
    const type = contentTypes.get(uid);
    if (!hasOldIds(type)) return [];
    const rows = await rowsOf(stored, type, { '_strapi3._id': { $in: ids } });
    return rows.flatMap(({ old, ...place }) => (old === null ? [] : [[old, place] as const]));
  });
  const documents = new Lookup<string, Known>(async (uid, documentIds) => {
    const type = contentTypes.get(uid);
    if (!type) return [];
    const hasRows = type.origin === 'api' && !type.storage && (type.localized || type.draftAndPublish);
    const rows = hasRows ? await rowsOf(stored, type, { documentId: { $in: documentIds } }) : [];
    const shown = stored.isRuled(uid) ? await shownPlaces(stored, type, documentIds) : null;
    const byDocument = groupBy(rows, ({ documentId }) => documentId);
    return documentIds.map((documentId) => [documentId, { rows: byDocument.get(documentId) ?? [], shown }]);
  });
  const isKnown: OldIds['isKnown'] = (uid, { documentId, locale }, drafts) => {
    const { rows = [], shown = null } = documents.get(uid, documentId) ?? {};
    if (shown && !shown.has(key(documentId, locale))) return false;
    if (drafts || contentTypes.get(uid)?.draftAndPublish !== true) return true;
    return rows.some((row) => row.isPublished && (row.locale ?? '') === (locale ?? ''));
  };
  const ids: OldIds = {
    isKnown,
    rowOf(uid, id) {
      if (!hasOldIds(contentTypes.get(uid))) return { documentId: id, locale: undefined };
      const [documentId = '', locale] = id.split(BETWEEN);
      return places.get(uid, id) ?? { documentId, locale };
    },
    localesOf(uid, documentId) {
      const rows = documents.get(uid, documentId)?.rows ?? [];
      return [...new Set(rows.map(({ locale }) => locale))].map((locale) => ({
        locale,
        isPublished: isKnown(uid, { documentId, locale }, false),
      }));
    },
    idOf(uid, documentId, locale) {
      if (!hasOldIds(contentTypes.get(uid))) return documentId;
      const rows = documents.get(uid, documentId)?.rows ?? [];
      const old = rows.findLast((row) => row.old !== null && (row.locale ?? '') === (locale ?? ''))?.old;
      if (old) return old;
      return locale === null || locale === defaultLocale ? documentId : `${documentId}${BETWEEN}${locale}`;
    },
  };
  return { ids, lookups: [places, documents] };
}

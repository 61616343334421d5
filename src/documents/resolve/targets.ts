import { type ApiError, errors, type FieldError, fieldError } from '../../errors.js';
import { shorten } from '../../print-value.js';
import { collectionName } from '../../schema/stored/collections.js';
import type { ContentType } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import { groupBy } from '../../values/group.js';
import { memberOf } from '../../values/once-per.js';
import { textOf } from '../../values/plain-object.js';
import type { DocumentRef, ResolveContext } from '../context.js';
import type { NamedTarget } from '../plan/relation-input.js';
import type { WantedTarget } from '../plan/write-plan.js';

/** The fields that are read of a target. */
export const TARGET_FIELDS: readonly string[] = ['id', 'documentId', 'locale'];

/** The resolved targets of a write. */
export interface Resolved {
  /** The document that a target names; null for a numeric id that does not exist. */
  documentId(uid: string, target: NamedTarget): string | null;
  /** The value that is stored to refer to it: its documentId, or its `_id` in an adopted collection. */
  reference(uid: string, target: NamedTarget): unknown;
  /** Numeric id of the target's (draft) entry, for messages; 0 if there is none. */
  rowId(uid: string, target: NamedTarget): number;
  /** The error for linked numeric ids that do not exist, of the first content type that has any. */
  readonly missing: readonly FieldError[];
}

/**
 * The locale in which a target must exist: that of the source, or else the given or default one; null if not
 * localized.
 */
export function targetLocale(
  source: Pick<DocumentRef, 'type' | 'locale'>,
  target: ContentType,
  given: string | null,
  defaultLocale: string,
): string | null {
  if (!target.localized) return null;
  return source.type.localized ? source.locale : (given ?? defaultLocale);
}

/** The error for a documentId that does not exist in the locale. */
export const targetNotFound = (documentId: string, locale: string | null): ApiError =>
  errors.validation(
    'target-not-found',
    `Document with id "${shorten(documentId)}", locale "${shorten(String(locale))}" not found`,
  );

/**
 * Looks up all targets with one query per content type and version. Throws `Document with id "…", locale "…"
 * not found` for a documentId without an entry; numeric ids that do not exist are reported in `missing`,
 * along with the errors of validation.
 */
export async function resolveTargets(
  context: ResolveContext,
  source: DocumentRef,
  wanted: readonly WantedTarget[],
): Promise<Resolved> {
  const byUid = groupBy(wanted, ({ uid }) => uid);
  const found = new Map<string, Found>();
  await Promise.all(
    [...byUid].map(async ([uid, targets]) => {
      const type = context.schema.contentTypes.get(uid);
      if (!type)
        throw errors.validation('content-type-unknown', `Content type ${shorten(uid)} does not exist`);
      found.set(uid, await (type.storage ? lookUpAdopted : lookUp)(context, type, targets));
    }),
  );
  const documentOf = (uid: string, target: NamedTarget): string | null => {
    const { documentId, id } = target;
    const { keys, byId } = found.get(uid) ?? {};
    if (documentId !== null || id === null) return documentId;
    return keys ? (keys.has(textOfTarget(target)) ? textOfTarget(target) : null) : (byId?.get(id) ?? null);
  };
  const localeOf = (uid: string, given: string | null): string | null => {
    const type = context.schema.contentTypes.get(uid);
    return type ? targetLocale(source, type, given, context.config.plugins.i18n.defaultLocale) : null;
  };
  const rowOf = (uid: string, documentId: string, locale: string | null): number | undefined =>
    found.get(uid)?.rows.get(documentKey(documentId, locale));
  for (const target of wanted) {
    const documentId = documentOf(target.uid, target);
    const locale = localeOf(target.uid, target.locale);
    if (documentId !== null && rowOf(target.uid, documentId, locale) === undefined)
      throw targetNotFound(documentId, locale);
  }
  return {
    documentId: documentOf,
    reference: (uid, target) => {
      const documentId = documentOf(uid, target);
      return found.get(uid)?.keys?.get(documentId ?? '') ?? documentId;
    },
    rowId: (uid, target) => rowOf(uid, documentOf(uid, target) ?? '', localeOf(uid, target.locale)) ?? 0,
    missing: missingIds(wanted, (target) => documentOf(target.uid, target) !== null),
  };
}

interface Found {
  readonly byId: ReadonlyMap<number, string>;
  /** Numeric ids of the (draft) entries, by documentId and locale. */
  readonly rows: ReadonlyMap<string, number>;
  /** For an adopted collection: the `_id`s by documentId. */
  readonly keys?: ReadonlyMap<string, unknown>;
}

async function lookUp(
  context: ResolveContext,
  type: ContentType,
  targets: readonly WantedTarget[],
): Promise<Found> {
  const ids = [
    ...new Set(targets.flatMap(({ documentId, id }) => (documentId === null && id !== null ? [id] : []))),
  ];
  const documentIds = [
    ...new Set(targets.flatMap(({ documentId }) => (documentId === null ? [] : [documentId]))),
  ];
  const draft = collectionName(type, 'draft');
  const live = collectionName(type, 'published');
  const [named, published] = await Promise.all([
    ids.length > 0 ? context.read(draft, { id: { $in: ids } }, TARGET_FIELDS) : [],
    ids.length > 0 && live !== draft ? context.read(live, { id: { $in: ids } }, TARGET_FIELDS) : [],
  ]);
  const all = [...published, ...named];
  const keyOf = (row: Entry): string =>
    documentKey(String(row['documentId']), type.localized ? textOf(row['locale']) : null);
  const asked = new Set([...documentIds, ...all.map(({ documentId }) => String(documentId))]);
  const readable = (await context.readable?.(type, [...asked])) ?? null;
  // What the caller may not read is as if it were not there: a row by its number, a document by its locale.
  const numbers = readable && new Set(readable.map(({ id }) => Number(id)));
  const keys = readable && new Set(readable.map(keyOf));
  const byId = new Map(
    all
      .map((row) => [Number(row['id']), String(row['documentId'])] as const)
      .filter(([id]) => numbers?.has(id) ?? true),
  );
  // A numeric id names its document, whichever version and locale it belongs to.
  const known = type.localized ? [] : named;
  const found = new Set(known.map((row) => String(row['documentId'])));
  const others = [...new Set([...documentIds, ...byId.values()])].filter((id) => !found.has(id));
  const more =
    others.length > 0 ? await context.read(draft, { documentId: { $in: others } }, TARGET_FIELDS) : [];
  const drafts = [...known, ...more].filter((row) => keys?.has(keyOf(row)) ?? true);
  return { byId, rows: new Map(drafts.map((row) => [keyOf(row), Number(row['id'])])) };
}

/** A number is a key, like its text. Adopted documents have no numeric ids of their own. */
async function lookUpAdopted(
  context: ResolveContext,
  type: ContentType,
  targets: readonly WantedTarget[],
): Promise<Found> {
  const found = await context.adopted.keys(type, [...new Set(targets.map(textOfTarget))]);
  const readable = (await context.readable?.(type, [...found.keys()])) ?? null;
  const seen = readable && new Set(readable.map(({ documentId }) => String(documentId)));
  const keys = new Map([...found].filter(([text]) => seen?.has(text) ?? true));
  return {
    byId: new Map(),
    rows: new Map([...keys.keys()].map((text) => [documentKey(text, null), 0])),
    keys,
  };
}

const textOfTarget = ({ documentId, text, id }: NamedTarget): string => documentId ?? text ?? String(id);

function missingIds(
  wanted: readonly WantedTarget[],
  isThere: (target: WantedTarget) => boolean,
): FieldError[] {
  const counts = new Map<string, Set<number>>();
  for (const target of wanted) {
    const { uid, documentId, id, linked } = target;
    if (!linked || documentId !== null || id === null || isThere(target)) continue;
    memberOf(counts, uid, () => new Set()).add(id);
  }
  return [...counts].slice(0, 1).map(([uid, ids]) => missingTargets(uid, ids.size));
}

/** The error for numeric ids of a type that do not exist. */
export const missingTargets = (uid: string, count: number): FieldError =>
  fieldError([], `${count} relation(s) of type ${uid} associated with this entity do not exist`);

const documentKey = (documentId: string, locale: string | null): string => `${documentId}\u0000${locale}`;

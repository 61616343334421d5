import { errors, type FieldError } from '../../errors.js';
import { contentTypeOf } from '../../schema/find.js';
import type { ContentType } from '../../schema/types.js';
import { collectionName } from '../../store/collections.js';
import type { DocumentsContext, Source } from '../context.js';
import type { Target } from './parse.js';

/** A target named somewhere in the data of a write. */
export interface Wanted extends Target {
  /** uid of the content type that it must be of. */
  readonly uid: string;
  /** Connected by this write (and not only disconnected or an anchor), so it has to exist. */
  readonly linked: boolean;
}

/** What the targets of a write turned out to be. */
export interface Resolved {
  /** The document that a target names; null for a numeric id that does not exist. */
  documentId(uid: string, target: Target): string | null;
  /** Numeric id of a document's (draft) entry, for messages. */
  rowId(uid: string, documentId: string): number;
  /** One error for each content type of which linked numeric ids do not exist (SPEC E.6). */
  readonly missing: readonly FieldError[];
}

/** The locale in which a target is looked for (SPEC F.3): the source's, else the one given or the default; null: not localized. */
export function targetLocale(
  source: Pick<Source, 'type' | 'locale'>,
  target: ContentType,
  given: string | null,
  defaultLocale: string,
): string | null {
  if (!target.localized) return null;
  return source.type.localized ? source.locale : (given ?? defaultLocale);
}

/**
 * Looks up every target in one query a content type and version. Throws `Document with id "…", locale "…" not found` for a
 * documentId without an entry; numeric ids that do not exist are reported in `missing`, beside the errors of validation.
 */
export async function resolveTargets(
  context: DocumentsContext,
  source: Source,
  wanted: readonly Wanted[],
): Promise<Resolved> {
  const byUid = new Map<string, Wanted[]>();
  for (const target of wanted) byUid.set(target.uid, [...(byUid.get(target.uid) ?? []), target]);
  const found = new Map<string, Found>();
  await Promise.all(
    [...byUid].map(async ([uid, targets]) => {
      const type = contentTypeOf(context.schema, uid);
      if (!type) throw errors.validation(`Content type ${uid} does not exist`);
      found.set(uid, await lookUp(context, type, targets));
    }),
  );
  for (const target of wanted) {
    const type = contentTypeOf(context.schema, target.uid);
    if (target.documentId === null || !type) continue;
    const locale = targetLocale(source, type, target.locale, context.config.plugins.i18n.defaultLocale);
    if (!found.get(target.uid)?.documents.has(documentKey(target.documentId, locale)))
      throw errors.validation(`Document with id "${target.documentId}", locale "${locale}" not found`);
  }
  return {
    documentId: (uid, target) =>
      target.documentId ?? (target.id === null ? null : (found.get(uid)?.byId.get(target.id) ?? null)),
    rowId: (uid, documentId) => found.get(uid)?.rows.get(documentId) ?? 0,
    missing: missingIds(wanted, found),
  };
}

interface Found {
  readonly byId: ReadonlyMap<number, string>;
  /** documentId and locale of the entries found. */
  readonly documents: ReadonlySet<string>;
  readonly rows: ReadonlyMap<string, number>;
}

async function lookUp(
  context: DocumentsContext,
  type: ContentType,
  targets: readonly Wanted[],
): Promise<Found> {
  const ids = [
    ...new Set(targets.flatMap(({ documentId, id }) => (documentId === null && id !== null ? [id] : []))),
  ];
  const documentIds = [
    ...new Set(targets.flatMap(({ documentId }) => (documentId === null ? [] : [documentId]))),
  ];
  const draft = collectionName(type, 'draft');
  const live = collectionName(type, 'published');
  const fields = ['id', 'documentId', 'locale'];
  const byDocument = [
    ...(documentIds.length > 0 ? [{ documentId: { $in: documentIds } }] : []),
    ...(ids.length > 0 ? [{ id: { $in: ids } }] : []),
  ];
  const [drafts, published] = await Promise.all([
    context.read(draft, byDocument.length === 1 ? (byDocument[0] ?? {}) : { $or: byDocument }, fields),
    ids.length > 0 && live !== draft ? context.read(live, { id: { $in: ids } }, fields) : [],
  ]);
  const byId = new Map<number, string>();
  for (const row of [...published, ...drafts]) byId.set(Number(row['id']), String(row['documentId']));
  return {
    byId,
    documents: new Set(
      drafts.map((row) =>
        documentKey(String(row['documentId']), type.localized ? textOf(row['locale']) : null),
      ),
    ),
    rows: new Map(drafts.map((row) => [String(row['documentId']), Number(row['id'])])),
  };
}

function missingIds(wanted: readonly Wanted[], found: ReadonlyMap<string, Found>): FieldError[] {
  const counts = new Map<string, Set<number>>();
  for (const { uid, documentId, id, linked } of wanted) {
    if (!linked || documentId !== null || id === null || found.get(uid)?.byId.has(id)) continue;
    counts.set(uid, (counts.get(uid) ?? new Set()).add(id));
  }
  return [...counts].map(([uid, ids]) => ({
    path: [],
    message: `${ids.size} relation(s) of type ${uid} associated with this entity do not exist`,
    name: 'ValidationError',
  }));
}

const documentKey = (documentId: string, locale: string | null): string => `${documentId}\u0000${locale}`;
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

import { walkItems } from '../../documents/plan/items.js';
import { readLinks, type StoredLink } from '../../documents/relations/stored-links.js';
import { NO_LOCALE } from '../../query/read-plan.js';
import type { ContentType, MediaAttribute, Model, RelationAttribute, Schema } from '../../schema/types.js';
import { FILE_UID } from '../../schema/uids.js';
import type { Entry } from '../../store/entries/changes.js';
import { textOf } from '../../values/plain-object.js';
import { wantsType } from '../source/selection.js';
import { lost } from '../source/types.js';
import type { Export } from './context.js';
import type { ExportedRow, Version } from './exported.js';

/** What one version of an entry refers to, or some of it. */
export interface ReferringRow extends Omit<ExportedRow, 'id'> {
  readonly uid: string;
  readonly documentId: string;
  readonly references: readonly Reference[];
}

/** One end of a line: an entry or component item. */
interface End {
  readonly type: string;
  readonly field?: string | null;
  readonly ref: number;
  readonly pos?: number;
}

interface Line {
  readonly kind: string;
  readonly relation: string;
  readonly left: End;
  readonly right: End;
}

/** One reference of an entry or component item. */
interface Reference extends Pick<StoredLink, 'documentId' | 'locale'> {
  /** Without the `ref` of the target, which is known when all rows are. */
  readonly line: Line;
  readonly targetEnd: 'left' | 'right';
}

/** Marks a link to a document that has no row in the intended locale. */
const STAND_IN = { standIn: true };

/** How many references a row has, so that it stays small. */
const AT_ONCE = 1000;

/** None if the entry refers to nothing; several if it has many references. */
export function referringRows({ schema }: Export, { type, status, entry }: Version): readonly ReferringRow[] {
  const { documentId, locale } = entry;
  const of = { uid: type.uid, documentId: String(documentId), locale: textOf(locale), status };
  const all = referencesOf(schema, type, entry);
  const rows = Array.from({ length: Math.ceil(all.length / AT_ONCE) }, (_, at) => at * AT_ONCE);
  return rows.map((from) => ({ ...of, references: all.slice(from, from + AT_ONCE) }));
}

function referencesOf(schema: Schema, model: Model, entry: Entry): Reference[] {
  const ref = Number(entry['id']);
  const own = [...model.attributes.values()].flatMap((attribute): Reference[] => {
    if (attribute.kind !== 'relation' && attribute.kind !== 'media') return [];
    if (attribute.system || (attribute.kind === 'relation' && !attribute.owner)) return [];
    const holder = { model, ref };
    return readLinks(entry, attribute).map((link, at) =>
      referenceOf(schema, holder, attribute, [link, at + 1]),
    );
  });
  const items = [...walkItems(schema, model, entry)];
  return [...own, ...items.flatMap(({ item, model: inner }) => referencesOf(schema, inner, item))];
}

/** The lines of `links` for these references, to the rows that the archive has. */
export function linkLines(run: Export, row: ReferringRow): readonly object[] {
  return row.references.flatMap((reference) => {
    const { line, targetEnd } = reference;
    const { targets, standIn } = chosenRows(run, row, reference);
    if (targets.length === 0) leave(run, row, reference);
    // Strapi stores only one target of it, even for an entry without versions.
    const kept = line.relation === 'morphToOne' ? targets.slice(-1) : targets;
    return kept.map(({ id }) => ({
      ...line,
      [targetEnd]: { ...line[targetEnd], ref: id },
      ...(standIn && { mangrove: STAND_IN }),
    }));
  });
}

/**
 * The rows that a reference leads to. A reference names a document, which in Strapi's format is the row with
 * the same version and locale. If that does not exist, another row of the document takes its place. An entry
 * without versions refers to both versions of its target.
 */
function chosenRows(
  { schema, defaultLocale, exported }: Export,
  { uid, status, locale }: ReferringRow,
  { line, targetEnd, documentId, locale: given }: Reference,
): { readonly targets: readonly ExportedRow[]; readonly standIn: boolean } {
  const [type, target] = [uid, line[targetEnd].type].map((name) => schema.contentTypes.get(name));
  const all = target ? exported.rowsOf(target.uid, documentId) : [];
  const wanted = given ?? (type?.localized ? (locale ?? NO_LOCALE) : defaultLocale);
  const inLocale = target?.localized ? all.filter((row) => (row.locale ?? NO_LOCALE) === wanted) : all;
  const standIn = inLocale.length === 0;
  const close = standIn ? all.filter((row) => row.locale === standInLocale(all)) : inLocale;
  if (!type?.draftAndPublish) return { targets: close, standIn };
  const same = close.filter((row) => row.status === status || !target?.draftAndPublish);
  return { targets: (same.length > 0 ? same : close).slice(0, 1), standIn };
}

/** The first locale, of the drafts if there are some. */
function standInLocale(rows: readonly ExportedRow[]): string | null {
  const ofFirst = rows.filter(({ status }) => status === rows[0]?.status).map(({ locale }) => locale);
  return ofFirst.includes(null) ? null : (ofFirst.sort()[0] ?? null);
}

function leave(
  { report, selection }: Export,
  { documentId: of }: ReferringRow,
  { line, targetEnd, documentId }: Reference,
): void {
  const { type, ref, field } = line[targetEnd === 'left' ? 'right' : 'left'];
  const target = line[targetEnd].type;
  const why = wantsType(selection, target) ? 'there is no such document' : 'its type is not exported';
  report.problems.push(
    lost('link', `${type} ${ref} ${field} → ${target} ${documentId}`, `${why} (in ${of})`),
  );
}

function referenceOf(
  { contentTypes }: Schema,
  { model, ref }: { readonly model: Model; readonly ref: number },
  attribute: RelationAttribute | MediaAttribute,
  [{ documentId, locale, order, type }, position]: readonly [StoredLink, number],
): Reference {
  const { name } = attribute;
  if (attribute.kind === 'media') {
    const [left, right] = [
      { type: FILE_UID, field: 'related', ref: 0 },
      { type: model.uid, field: name, ref, pos: position },
    ];
    const line = { kind: 'relation.morph', relation: 'morphToMany', left, right };
    return { documentId, locale, line, targetEnd: 'left' };
  }
  const { relation, many, inversedBy } = attribute;
  const place = many && { pos: position };
  const left = { type: model.uid, field: name, ref };
  const uid = attribute.target ?? type ?? '';
  const target = contentTypes.get(uid);
  if (attribute.target === null) {
    const field = target ? inverseOf(target, model, attribute) : null;
    const right = { type: uid, ref: 0, field, ...place };
    return {
      documentId,
      locale,
      line: { kind: 'relation.morph', relation, left, right },
      targetEnd: 'right',
    };
  }
  const line = {
    kind: uid === model.uid ? 'relation.circular' : 'relation.basic',
    relation,
    left: { ...left, ...place },
    right: {
      type: uid,
      ref: 0,
      ...(inversedBy !== null && { field: inversedBy }),
      ...(order !== null && { pos: order }),
    },
  };
  return { documentId, locale, line, targetEnd: 'right' };
}

/**
 * The attribute with which the target shows the inverse of a polymorphic relation; Strapi shows only links
 * that name it.
 */
function inverseOf(target: ContentType, holder: Model, { name }: RelationAttribute): string | null {
  for (const attribute of target.attributes.values())
    if (attribute.kind === 'relation' && attribute.target === holder.uid && attribute.morphBy === name)
      return attribute.name;
  return null;
}

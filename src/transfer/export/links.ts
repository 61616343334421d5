import { walkItems } from '../../documents/plan/items.js';
import { readLinks, type StoredLink } from '../../documents/relations/stored-links.js';
import { NO_LOCALE } from '../../query/read-plan.js';
import { collectionName, statusesOf } from '../../schema/stored/collections.js';
import type { ContentType, MediaAttribute, Model, RelationAttribute, Status } from '../../schema/types.js';
import { FILE_UID } from '../../schema/uids.js';
import type { Entry } from '../../store/entries/changes.js';
import { type EntryHead, headsOf } from '../../store/transfer/import-entries.js';
import { addTo } from '../../values/group.js';
import { memberOf } from '../../values/once-per.js';
import { lost } from '../source/types.js';
import type { Export } from './context.js';

/** A stored entry and its version. */
export interface LinkedVersion {
  readonly type: ContentType;
  readonly status: Status;
  readonly entry: Entry;
}

/** One reference of an entry or component item. */
interface Reference {
  readonly holder: Model;
  readonly ref: number;
  readonly attribute: RelationAttribute | MediaAttribute;
  readonly target: ContentType | undefined;
  readonly link: StoredLink;
  readonly position: number;
}

/** Marks a link to a document that has no row in the intended locale. */
const STAND_IN = { standIn: true };

/** The lines of `links` for a batch of entries of one type and version. */
export async function linkLines(run: Export, versions: readonly LinkedVersion[]): Promise<readonly object[]> {
  const found = versions.map((version) => ({
    version,
    references: referencesOf(run, version.type, version.entry),
  }));
  const rows = await rowsOf(
    run,
    found.flatMap(({ references }) => references),
  );
  return found.flatMap(({ version, references }) =>
    references.flatMap((reference) => {
      const { targets, standIn } = chosenRows(run, version, reference, rows);
      if (targets.length === 0) leave(run, version, reference);
      // Strapi stores only one target of it, even for an entry without versions.
      const { attribute } = reference;
      const one = attribute.kind === 'relation' && attribute.relation === 'morphToOne';
      const kept = one ? targets.slice(-1) : targets;
      return kept.map((row) => ({ ...lineOf(reference, row), ...(standIn && { mangrove: STAND_IN }) }));
    }),
  );
}

function referencesOf(run: Export, model: Model, entry: Entry): Reference[] {
  const { schema } = run;
  const ref = Number(entry['id']);
  const own = [...model.attributes.values()].flatMap((attribute): Reference[] => {
    if (attribute.kind !== 'relation' && attribute.kind !== 'media') return [];
    if (attribute.system || (attribute.kind === 'relation' && !attribute.owner)) return [];
    return readLinks(entry, attribute).map((link, at) => {
      const uid = attribute.kind === 'media' ? FILE_UID : (attribute.target ?? link.type ?? '');
      return {
        holder: model,
        ref,
        attribute,
        target: schema.contentTypes.get(uid),
        link,
        position: at + 1,
      };
    });
  });
  return [
    ...own,
    ...[...walkItems(schema, model, entry)].flatMap(({ item, model: inner }) =>
      referencesOf(run, inner, item),
    ),
  ];
}

/** The rows of documents, by uid and documentId. */
type Rows = ReadonlyMap<string, readonly (EntryHead & { readonly status: Status })[]>;

async function rowsOf(run: Export, references: readonly Reference[]): Promise<Rows> {
  const wanted = new Map<ContentType, Set<string>>();
  for (const { target, link } of references)
    if (target) memberOf(wanted, target, () => new Set()).add(link.documentId);
  const rows = new Map<string, (EntryHead & { status: Status })[]>();
  for (const [type, ids] of wanted)
    for (const status of statusesOf(type))
      for (const head of await headsOf(run.store.db, collectionName(type, status), [...ids]))
        addTo(rows, `${type.uid} ${head.documentId}`, { ...head, status });
  return rows;
}

/**
 * The rows that a reference leads to. A reference names a document, which in Strapi's format is the row with
 * the same version and locale. If that does not exist, another row of the document takes its place. An entry
 * without versions refers to both versions of its target.
 */
function chosenRows(
  { defaultLocale }: Export,
  { type, status, entry }: LinkedVersion,
  { target, link }: Reference,
  rows: Rows,
): { readonly targets: readonly EntryHead[]; readonly standIn: boolean } {
  const all = target ? (rows.get(`${target.uid} ${link.documentId}`) ?? []) : [];
  const wanted = link.locale ?? (type.localized ? (entry['locale'] ?? NO_LOCALE) : defaultLocale);
  const inLocale = target?.localized ? all.filter(({ locale }) => (locale ?? NO_LOCALE) === wanted) : all;
  const standIn = inLocale.length === 0;
  const close = standIn ? all.filter(({ locale }) => locale === all[0]?.locale) : inLocale;
  if (!type.draftAndPublish) return { targets: close, standIn };
  const same = close.filter((row) => row.status === status || !target?.draftAndPublish);
  return { targets: (same.length > 0 ? same : close).slice(0, 1), standIn };
}

function leave(
  { report }: Export,
  { entry }: LinkedVersion,
  { holder, ref, attribute, target, link }: Reference,
): void {
  const at = `${holder.uid} ${ref} ${attribute.name} → ${target?.uid ?? link.type ?? ''} ${link.documentId}`;
  const why = `there is no such document (in ${String(entry['documentId'])})`;
  report.problems.push(lost('link', at, why));
}

function lineOf({ holder, ref, attribute, target, link, position }: Reference, row: EntryHead): object {
  const uid = target?.uid ?? '';
  if (attribute.kind === 'media')
    return {
      kind: 'relation.morph',
      relation: 'morphToMany',
      left: { type: FILE_UID, field: 'related', ref: Number(row.id) },
      right: { type: holder.uid, field: attribute.name, ref, pos: position },
    };
  const left = { type: holder.uid, field: attribute.name, ref };
  if (attribute.target === null)
    return {
      kind: 'relation.morph',
      relation: attribute.relation,
      left,
      right: {
        type: uid,
        ref: Number(row.id),
        field: target ? inverseOf(target, holder, attribute) : null,
        ...(attribute.many && { pos: position }),
      },
    };
  return {
    kind: uid === holder.uid ? 'relation.circular' : 'relation.basic',
    relation: attribute.relation,
    left: { ...left, ...(attribute.many && { pos: position }) },
    right: {
      type: uid,
      ref: Number(row.id),
      ...(attribute.inversedBy !== null && { field: attribute.inversedBy }),
      ...(link.order !== null && { pos: link.order }),
    },
  };
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

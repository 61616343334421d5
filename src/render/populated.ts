/** Places populated rows in their entries, in the order of connection. Missing rows are left out. */

import { type PopulateField, sorted } from '../pipeline/populate/populate-fields.js';
import { countsInDatabase } from '../pipeline/populate/project.js';
import { type Doc, documentsOf } from '../pipeline/types.js';
import { type LinkedLocale, NO_LOCALE, type RelationTarget } from '../query/read-plan.js';
import type { ContentType } from '../schema/types.js';
import { isObject, objectAt } from '../values/plain-object.js';

/** Renders the rows that replace the references of `item` (the entry, or one of its component items). */
type Placer = (item: Doc, entry: Doc) => unknown;
type RenderResult<T> = (row: Doc) => T;

/** Renders a row, as an object or as what its JSON is written from. */
export interface Shows<T> {
  /** One for each target. */
  readonly of: readonly RenderResult<T>[];
  /** The same with `__type`. */
  typed(shown: T, type: string): T;
}

export function placerOf<T>(populate: PopulateField, shows: Shows<T>, entryType: ContentType): Placer {
  const rows = rowsIn(populate, shows, entryType);
  const { relation } = populate;
  if (countsInDatabase(populate))
    return (_, entry) => ({ count: Number(String(populatedRows(entry, populate.fields[0])[0]?.['n'] ?? 0)) });
  if (relation.count) return (item, entry) => ({ count: rows(item, entry).length });
  return relation.attribute.many ? rows : (item, entry) => rows(item, entry)[0] ?? null;
}

type Rows<T> = (item: Doc, entry: Doc) => readonly T[];

/** Some kinds also show `__type`. */
function rowsIn<T>(populate: PopulateField, shows: Shows<T>, entryType: ContentType): Rows<T> {
  if (populate.kind === 'morph') return morphRows(populate, shows);
  if (populate.kind === 'mediaInverse') return showingRows(populate, shows);
  return rowsOf(populate, shows, entryType);
}

function rowsOf<T>(populate: PopulateField, shows: Shows<T>, entryType: ContentType): Rows<T> {
  const { relation, kind, fields, listed } = populate;
  const [target] = relation.targets;
  const [show] = shows.of;
  const [field] = fields;
  if (!target || !show || field === undefined) return () => [];
  const { name, many } = relation.attribute;
  if (kind === 'inverse' && target.target.storage) return (_, entry) => populatedRows(entry, field).map(show);
  if (kind === 'inverse' || kind === 'morphInverse') return referringRows(populate, target, show, entryType);
  if (kind === 'localizations')
    return (_, entry) => inLocaleOrder(populatedRows(entry, field), target).map(show);
  if (kind !== 'owned') return (_, entry) => inOrder(populatedRows(entry, field), target).map(show);
  if (target.linked) return linkedRows(name, field, show, { target, linked: target.linked });
  if (sorted(target) && listed) return (item, entry) => relatedRows(populate, field, item, entry).map(show);
  if (sorted(target) || (!many && !listed)) return (_, entry) => populatedRows(entry, field).map(show);
  return (item, entry) => pick(referencesOf(item, name), populatedRows(entry, field), show);
}

/** The value by which references name the row: not always the documentId in adopted collections. */
const keyOf = (row: Doc): unknown => row['_key'] ?? row['documentId'];

const NONE: readonly Doc[] = [];
const populatedRows = (entry: Doc, field: string | undefined): readonly Doc[] =>
  field === undefined ? NONE : documentsOf(entry[field]);

function referencesOf(item: Doc, name: string): readonly unknown[] {
  const stored = item[name];
  if (Array.isArray(stored)) return stored;
  return stored === null || stored === undefined ? [] : [stored];
}

/** The rows of one field that `item` refers to; outside lists, all of them. */
export function relatedRows(
  { relation, listed }: PopulateField,
  field: string,
  item: Doc,
  entry: Doc,
): readonly Doc[] {
  const rows = populatedRows(entry, field);
  if (!listed) return rows;
  const references = new Set(referencesOf(item, relation.attribute.name));
  return rows.filter((row) => references.has(keyOf(row)));
}

/** Up to here a linear search is faster than a map. */
const FEW = 8;

function pick<T>(references: readonly unknown[], rows: readonly Doc[], show: RenderResult<T>): readonly T[] {
  const placed: T[] = [];
  if (rows.length === 0) return placed;
  const find = finder(rows);
  for (const reference of references) {
    const row = find(reference);
    if (row !== undefined) placed.push(show(row));
  }
  return placed;
}

function finder(rows: readonly Doc[]): (documentId: unknown) => Doc | undefined {
  if (rows.length < FEW) return (documentId) => rows.find((row) => keyOf(row) === documentId);
  const byId = new Map(rows.map((row) => [keyOf(row), row]));
  return (documentId) => byId.get(documentId);
}

interface Linked {
  readonly target: RelationTarget;
  readonly linked: LinkedLocale;
}

/**
 * The locale that a reference leads to: the one stored with it, else that of `linked` or of the entry that
 * holds it.
 */
const namedLocale = (beside: unknown, { otherwise }: LinkedLocale, holder: Doc): unknown =>
  beside ?? otherwise ?? localeOf(holder);

const localeOf = (row: Doc): unknown => row['locale'] ?? NO_LOCALE;

/** The row of each reference in its locale. */
const linkedRows =
  <T>(name: string, field: string, show: RenderResult<T>, { target, linked }: Linked): Rows<T> =>
  (item, entry) => {
    const locales = linkOf(item, name, 'locale');
    const rows = populatedRows(entry, field);
    const found = referencesOf(item, name).flatMap((documentId, index): readonly Doc[] => {
      const locale = namedLocale(locales[index], linked, entry);
      const row = rows.find((each) => each['documentId'] === documentId && localeOf(each) === locale);
      return row ? [row] : [];
    });
    return (sorted(target) ? rows.filter((row) => found.includes(row)) : found).map(show);
  };

/** The rows that refer to the entry; if links name locales, only those that name the entry's. */
function referringRows<T>(
  populate: PopulateField,
  target: RelationTarget,
  show: RenderResult<T>,
  entryType: ContentType,
): Rows<T> {
  const { relation, kind, fields } = populate;
  const { attribute } = relation;
  const owner = attribute.kind === 'relation' ? (attribute.mappedBy ?? attribute.morphBy ?? '') : '';
  const byConnection = kind === 'inverse' && attribute.many && !sorted(target);
  return (_, entry) => {
    const rows = populatedRows(entry, fields[0]).flatMap((row): readonly [Doc, number][] => {
      const place = placeIn(row, owner, entry, { linked: target.linked, uid: entryType.uid });
      return place === null ? [] : [[row, place]];
    });
    const chosen = byConnection
      ? inConnectionOrder(rows, owner)
      : inOrder(
          rows.map(([row]) => row),
          target,
        );
    return chosen.map(show);
  };
}

interface Referred {
  readonly linked: LinkedLocale | undefined;
  /** uid of the entry's type, for polymorphic references. */
  readonly uid: string;
}

/** Index of the reference from `row` to the entry in its locale; null if there is none. */
function placeIn(row: Doc, owner: string, entry: Doc, { linked, uid }: Referred): number | null {
  const references = referencesOf(row, owner);
  if (!linked) return references.indexOf(entry['documentId']);
  const locales = linkOf(row, owner, 'locale');
  const at = references.findIndex(
    (reference, index) =>
      isReferenceTo(reference, entry['documentId'], uid) &&
      namedLocale(locales[index], linked, row) === localeOf(entry),
  );
  return at < 0 ? null : at;
}

const isReferenceTo = (reference: unknown, documentId: unknown, uid: string): boolean =>
  isObject(reference)
    ? reference['documentId'] === documentId && reference['__type'] === uid
    : reference === documentId;

/** What `_links` stores for each reference (docs/architecture.md, "How content is stored"). */
function linkOf(item: Doc, name: string, what: 'locale' | 'order'): readonly unknown[] {
  const noted = objectAt(item['_links'], name)[what];
  return Array.isArray(noted) ? noted : [];
}

/**
 * An inverse relation in its own order: by the number that each owner stores for its reference, otherwise by
 * `id`.
 */
function inConnectionOrder(rows: readonly (readonly [Doc, number])[], owner: string): readonly Doc[] {
  const keyed = rows.map(([row, place]) => {
    const order = linkOf(row, owner, 'order')[place];
    const id = Number(row['id']);
    return { row, order: typeof order === 'number' ? order : id, id };
  });
  keyed.sort((a, b) => (a.order === b.order ? a.id - b.id : a.order - b.order));
  return keyed.map(({ row }) => row);
}

/**
 * Rows without an order of connection: as the query sorts them, otherwise by `id`, since the server
 * guarantees no order.
 */
const inOrder = (rows: readonly Doc[], target: RelationTarget): readonly Doc[] =>
  sorted(target) || rows.length < 2 ? rows : [...rows].sort((a, b) => Number(a['id']) - Number(b['id']));

/** Localizations are sorted by locale code, as Strapi's index over documents returns them. */
const inLocaleOrder = (rows: readonly Doc[], target: RelationTarget): readonly Doc[] => {
  if (sorted(target) || rows.length < 2) return rows;
  const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  return [...rows].sort(
    (a, b) => compare(String(localeOf(a)), String(localeOf(b))) || Number(a['id']) - Number(b['id']),
  );
};

/** Polymorphic references in order, each with the type of its target. */
function morphRows<T>(populate: PopulateField, shows: Shows<T>): Rows<T> {
  const { relation, fields } = populate;
  const { name } = relation.attribute;
  const targets = new Map(
    relation.targets.map((target, index) => [
      target.target.uid,
      { field: fields[index], show: shows.of[index], linked: target.linked },
    ]),
  );
  return (item, entry) => {
    const locales = linkOf(item, name, 'locale');
    return documentsOf(referencesOf(item, name)).flatMap((reference, at) => {
      const type = String(reference['__type']);
      const found = targets.get(type);
      const { linked } = found ?? {};
      const locale = linked && namedLocale(locales[at], linked, entry);
      const row = populatedRows(entry, found?.field).find(
        (each) => each['documentId'] === reference['documentId'] && (!linked || localeOf(each) === locale),
      );
      return row && found?.show ? [shows.typed(found.show(row), type)] : [];
    });
  };
}

/** The entries that show a file, of all types and in both versions. */
const showingRows =
  <T>({ relation, fields }: PopulateField, shows: Shows<T>): Rows<T> =>
  (_, entry) =>
    relation.targets.flatMap((of, index) => {
      const show = shows.of[index];
      if (!show) return [];
      return inOrder(populatedRows(entry, fields[index]), of).map((row) =>
        shows.typed(show(row), of.target.uid),
      );
    });

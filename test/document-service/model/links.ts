/**
 * Relations in the data of a write: what they name, and what happens to the links on either side (rules F).
 *
 * A link belongs to the version of the document that owns the relation, and names a document (0.4, row 8). Where the
 * rules leave details open that a model needs, this one assumes:
 * - a write to the inverse side changes the owners' drafts, and publishing it updates the links that it named in their
 *   published versions (F.4); links that owners wrote themselves are published with the owners;
 * - an owner without Draft & Publish has one version, so links written to it are visible at once;
 * - an existing link keeps its position in the list of the other side, a new one is appended;
 * - one-to-one: a call that links a target takes it from its previous owner in that version;
 * - references to deleted documents remain, but are not shown.
 */
import { type Anchor, type Connection, changed, type ListChange } from './order.js';
import { invalid, type Refusal } from './refusal.js';
import { owningShape, type Shape, TYPES, type TypeName } from './shape.js';
import {
  DEFAULT_LOCALE,
  type Link,
  type Row,
  readStatus,
  rowOf,
  type State,
  type Status,
  targetLocale,
  writtenStatus,
} from './state.js';

/** A document as a caller refers to it; `id` is a numeric id of one of its versions. */
export type Ref = { readonly documentId: string; readonly locale?: string } | { readonly id: number };

export type Position =
  | { readonly start: true }
  | { readonly end: true }
  | { readonly before: string | number }
  | { readonly after: string | number };

export type LinkInput =
  | null
  | readonly Ref[]
  | { readonly set: readonly Ref[] }
  | {
      readonly connect: readonly (Ref & { readonly position?: Position })[];
      readonly disconnect: readonly Ref[];
      readonly options?: { readonly strict: boolean };
    };

export interface Source {
  readonly type: TypeName;
  readonly doc: string;
  readonly locale: string | null;
}

interface Named {
  readonly doc: string;
  readonly locale: string | null;
}

type LinkShape = Extract<Shape, { kind: 'link' }>;
type InverseShape = Extract<Shape, { kind: 'inverse' }>;
type Refuse = (refusal: Refusal) => void;

const keyOf = ({ doc, locale }: Named): string => `${doc} ${locale ?? ''}`;

/** The input as a change to a list of keys; refuses documents that do not exist in the locale (F.3). */
function readInput(state: State, source: Source, target: TypeName, input: LinkInput, refuse: Refuse) {
  const named = new Map<string, Named>();
  const rows = (key: string): number | null => {
    const { doc } = named.get(key) ?? { doc: '' };
    const locale = targetLocale(source, target, named.get(key)?.locale ?? null);
    return rowOf(state, target, doc, locale, writtenStatus(target))?.id ?? null;
  };
  const name = (ref: Ref | string | number): string => {
    const given = typeof ref === 'string' ? { documentId: ref } : typeof ref === 'number' ? { id: ref } : ref;
    const doc =
      'id' in given
        ? (state.rows.find((row) => row.type === target && row.id === given.id)?.doc ?? '')
        : given.documentId;
    const wanted = 'locale' in given ? (given.locale ?? null) : null;
    const locale = targetLocale(source, target, wanted);
    if (!rowOf(state, target, doc, locale, writtenStatus(target)))
      refuse(invalid(`Document with id "${doc}", locale "${locale}" not found`));
    const found = { doc, locale: TYPES[source.type].locales ? null : locale };
    named.set(keyOf(found), found);
    return keyOf(found);
  };
  /** An anchor is looked for in the locale of the link that it places (F.2). */
  const anchor = (at: Anchor['at'], ref: string | number, link: Ref): Anchor => {
    const locale = 'locale' in link && link.locale !== undefined ? { locale: link.locale } : {};
    const key = name(typeof ref === 'string' ? { documentId: ref, ...locale } : { id: ref, ...locale });
    return { at, key, id: rows(key) };
  };
  const place = (given: Position, link: Ref): Connection['position'] => {
    if ('before' in given) return anchor('before', given.before, link);
    if ('after' in given) return anchor('after', given.after, link);
    return { at: 'start' in given ? 'start' : 'end' };
  };
  /** A position has the default locale where a source without locales names a document and no locale. */
  const position = (given: Position | undefined, link: Ref): Connection['position'] => {
    if (!given) return { at: 'none' };
    const isDefault = 'documentId' in link && link.locale === undefined && !TYPES[source.type].locales;
    return { ...place(given, link), ...(isDefault && { locale: DEFAULT_LOCALE }) };
  };
  const change = (): ListChange => {
    if (input === null) return { kind: 'set', keys: [] };
    if (Array.isArray(input)) return { kind: 'set', keys: input.map((ref) => name(ref)) };
    if ('set' in input) return { kind: 'set', keys: input.set.map((ref) => name(ref)) };
    const { connect, disconnect, options } = input as Exclude<
      LinkInput,
      null | readonly Ref[] | { set: unknown }
    >;
    return {
      kind: 'change',
      connect: connect.map((link) => {
        const key = name(link);
        return { key, id: rows(key), position: position(link.position, link) };
      }),
      disconnect: disconnect.map((ref) => name(ref)),
      strict: options?.strict !== false,
    };
  };
  return { named, change: change() };
}

/** Refuses references in `input` to documents that do not exist. */
export function checkTargets(
  state: State,
  source: Source,
  shape: InverseShape,
  input: LinkInput,
  refuse: Refuse,
): void {
  readInput(state, source, shape.target, input, refuse);
}

/** The links of an owning attribute after a write. New links go to the end of the other side's list. */
export function ownLinks(
  state: State,
  source: Source,
  shape: LinkShape,
  current: readonly Link[],
  input: LinkInput,
  refuse: Refuse,
): readonly Link[] {
  const { named, change } = readInput(state, source, shape.target, input, refuse);
  const place = shape.inverse ? ++state.clock : 0;
  const known = new Map(current.map((link) => [keyOf(link), link]));
  return changed(shape.many, [...known.keys()], change, refuse).flatMap((key) => {
    const link = named.get(key);
    return known.get(key) ?? (link ? { ...link, place } : []);
  });
}

/** The owners of a link to a document, in one version and locale. */
export function ownersOf(state: State, source: Source, shape: InverseShape, status: Status): Row[] {
  const locale = TYPES[shape.target].locales ? source.locale : null;
  const holders = state.rows.filter(
    (row) =>
      row.type === shape.target &&
      row.status === readStatus(shape.target, status) &&
      row.locale === locale &&
      linkTo(row, shape, source.doc),
  );
  const placeOf = (row: Row): number => linkTo(row, shape, source.doc)?.place ?? 0;
  return holders.sort((a, b) => placeOf(a) - placeOf(b));
}

export const linkTo = (row: Row, { of }: InverseShape, doc: string): Link | undefined =>
  row.links[of]?.find((link) => link.doc === doc);

/**
 * Writes the list of an inverse side into the drafts of its owners (or their only versions). The source's draft
 * remembers the named owners: publishing and discarding make their links the same in both versions.
 */
export function writeInverse(
  state: State,
  row: Row,
  name: string,
  shape: InverseShape,
  input: LinkInput,
  refuse: Refuse,
): void {
  const { named, change } = readInput(state, row, shape.target, input, refuse);
  const owners = ownersOf(state, row, shape, 'draft');
  const locale = TYPES[shape.target].locales ? row.locale : null;
  const before = owners.map(({ doc }) => keyOf({ doc, locale: null }));
  const after = changed(shape.many, before, change, refuse);
  const docs = after.map((key) => named.get(key)?.doc ?? key.slice(0, -1));
  const moved = new Set(change.kind === 'set' ? [] : change.connect.map(({ key }) => key));
  const places = placesFor(state, after, owners, before, moved, row, shape);
  const whole = change.kind === 'set' || (!shape.many && change.connect.length > 0);
  // Neither anchors nor what a to-one drops.
  const existing =
    change.kind === 'set'
      ? after
      : [...change.connect.map(({ key }) => key).filter((key) => after.includes(key)), ...change.disconnect];
  const touched = [
    ...existing.flatMap((key) => named.get(key)?.doc ?? []),
    ...(whole ? [...owners, ...ownersOf(state, row, shape, 'published')].map(({ doc }) => doc) : []),
  ];
  for (const owner of owners) if (!docs.includes(owner.doc)) unlink(owner, shape.of, row.doc);
  docs.forEach((doc, at) => {
    const owner = rowOf(state, shape.target, doc, locale, writtenStatus(shape.target));
    if (owner) link(owner, shape, row.doc, places[at] ?? 0);
  });
  if (!TYPES[shape.target].drafts) return;
  row.named[name] = [...new Set([...(row.named[name] ?? []), ...touched])];
  // A source without drafts is linked to both versions at once (F.3).
  if (TYPES[row.type].drafts) return;
  alignNamed(state, row, 'draft', 'published');
  row.named = {};
}

/** Positions (floats) for a list: owners already in order keep theirs, the others get one between their neighbours. */
function placesFor(
  state: State,
  after: readonly string[],
  owners: readonly Row[],
  before: readonly string[],
  moved: ReadonlySet<string>,
  { doc }: Row,
  shape: InverseShape,
): number[] {
  const places: number[] = [];
  const kept = after.map((key) => {
    const owner = owners[before.indexOf(key)];
    return owner && !moved.has(key) ? linkTo(owner, shape, doc)?.place : undefined;
  });
  for (const [at, place] of kept.entries()) {
    const last = places[at - 1] ?? Number.NEGATIVE_INFINITY;
    const next = kept.slice(at + 1).find((later) => later !== undefined && later > last);
    if (place !== undefined && place > last) places.push(place);
    else if (next === undefined) places.push(++state.clock);
    else places.push(Number.isFinite(last) ? (last + next) / 2 : next - 1);
  }
  return places;
}

/** Links an owner to a document: in place if it is already linked, otherwise at the end of its own list. */
export function link(owner: Row, shape: InverseShape, doc: string, place: number): void {
  const owning = owningShape(shape);
  const links = owner.links[shape.of] ?? [];
  const entry: Link = { doc, locale: null, place };
  if (!owning.many) owner.links[shape.of] = [entry];
  else
    owner.links[shape.of] = links.some((other) => other.doc === doc)
      ? links.map((other) => (other.doc === doc ? entry : other))
      : [...links, entry];
}

export function unlink(owner: Row, attribute: string, doc: string): void {
  owner.links[attribute] = (owner.links[attribute] ?? []).filter((other) => other.doc !== doc);
}

/** One-to-one: removes the targets of `row` from all other owners, in the same version and locale. */
export function takeFromOthers(state: State, row: Row): void {
  for (const [name, shape] of Object.entries(TYPES[row.type].attributes)) {
    if (shape.kind !== 'link' || !shape.alone) continue;
    const held = row.links[name]?.[0]?.doc;
    for (const other of state.rows)
      if (
        held !== undefined &&
        other.type === row.type &&
        other.doc !== row.doc &&
        other.status === row.status &&
        other.locale === row.locale
      )
        unlink(other, name, held);
  }
}

/** Makes the links of the named owners in one version the same as in the other (rules F.4, G.6). */
export function alignNamed(state: State, row: Row, from: Status, to: Status): void {
  for (const [name, docs] of Object.entries(row.named)) {
    const shape = TYPES[row.type].attributes[name];
    if (shape?.kind !== 'inverse') continue;
    const locale = TYPES[shape.target].locales ? row.locale : null;
    for (const doc of docs) {
      const model = rowOf(state, shape.target, doc, locale, from);
      const owner = rowOf(state, shape.target, doc, locale, to);
      if (!model || !owner) continue;
      const wanted = linkTo(model, shape, row.doc);
      if (wanted) link(owner, shape, row.doc, wanted.place);
      else unlink(owner, shape.of, row.doc);
      if (wanted && owningShape(shape).alone) takeFromOthers(state, owner);
    }
  }
}

/** Whether a read of `status` finds the target of a link. */
export function isVisible(state: State, row: Row, target: TypeName, link: Link, status: Status): boolean {
  const locale = targetLocale(row, target, link.locale ?? DEFAULT_LOCALE);
  return rowOf(state, target, link.doc, locale, readStatus(target, status)) !== undefined;
}

import { isDeepStrictEqual } from 'node:util';
import { EJSON } from 'bson';
import { hashCode } from '../../access/index.js';
import { readLinks } from '../../documents/relations/stored-links.js';
import { NO_LOCALE } from '../../query/read-plan.js';
import { modelOf } from '../../schema/find.js';
import type { ContentType, MediaAttribute, Model, RelationAttribute, Schema } from '../../schema/types.js';
import { FILE_UID, USER_UID } from '../../schema/uids.js';
import type { Entry } from '../../store/entries/changes.js';
import { isObject } from '../../values/plain-object.js';
import { type EntryRow, parseRowKey, placeKeyOf } from '../run/rows.js';
import type { Expected, ExpectedFields, ExpectedItem, ExpectedLink, ExpectedRow } from './expected.js';
import { partsOfPlace, type Reported, type ReportedPlace } from './reported.js';
import { formsOf, isSameValue, leavesOf } from './values.js';

/** A version in which a row is to be stored. */
export interface Version {
  readonly row: ExpectedRow;
  readonly type: ContentType;
  readonly documentId: string;
  readonly collection: string;
  /** Whether it is the draft of a published row. */
  readonly copy: boolean;
  /** The result of `storedKey`. */
  readonly key: string;
}

/** One stored version of a row. */
export interface StoredRow extends Version {
  readonly stored: Entry;
}

/** A value that is not where it is expected. */
export interface Discrepancy {
  readonly text: string;
  /** Where the report may mention it. */
  readonly keys: readonly string[];
}

/** A link that is stored with its target. */
export interface InverseLink {
  readonly from: StoredRow;
  readonly place: ReportedPlace;
  readonly to: ExpectedLink;
  /** The attribute of the target. */
  readonly attribute: string;
}

/** The comparison of one version. */
export interface Comparison {
  readonly schema: Schema;
  readonly defaultLocale: string;
  /** Where the import placed the rows that are referred to. */
  readonly placed: ReadonlyMap<string, EntryRow>;
  readonly reported: Reported;
  readonly whole: StoredRow;
  readonly counted: { values: number; links: number };
  readonly differences: Discrepancy[];
  readonly inverse: InverseLink[];
}

/** The holder of fields: the entry or one of its component items. */
interface Holder extends ReportedPlace {
  readonly uid: string;
  readonly model: Model | undefined;
  readonly stored: Entry;
}

export const holderOfRow = ({ row, type, documentId, stored }: StoredRow): Holder => ({
  uid: row.uid,
  model: type,
  stored,
  words: [],
  keys: [
    { key: row.key, depth: 0 },
    { key: `${row.uid} ${documentId}`, depth: 0 },
  ],
  attributes: [row.uid],
  prefixes: [row.ref, row.locale],
});

const within = (holder: Holder, name: string): ReportedPlace => ({
  ...holder,
  words: [...holder.words, ...partsOfPlace(name)],
  attributes: [...holder.attributes.slice(1), placeKeyOf(`${holder.uid} ${name}`)],
});

const shortly = (value: unknown): string => {
  const text = EJSON.stringify({ value: value ?? null }, { relaxed: true }).slice(9, -1);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
};

const pathOf = (words: readonly string[]): string =>
  words.map((word) => (/^\d+$/.test(word) ? `[${word}]` : ` ${word}`)).join('');

/** Compares the fields of an entry or item with what is stored. */
export function compareFields(check: Comparison, fields: ExpectedFields, holder: Holder): void {
  for (const [name, expected] of fields)
    if (expected.kind === 'value') compareValue(check, name, expected, holder);
    else if (expected.kind === 'items') compareItems(check, name, expected, holder);
    else compareLinks(check, name, expected, holder);
}

/** Accepts what the report says; anything else is a difference. */
function settle(
  { reported, whole, differences, placed }: Comparison,
  place: ReportedPlace,
  expected: Expected,
  {
    why,
    mention = null,
    elsewhere = [],
  }: { readonly why: string; readonly mention?: string | null; readonly elsewhere?: readonly string[] },
): void {
  const verdict = reported.verdict(place, mention);
  if (verdict === 'lost') return;
  if (verdict === 'kept' && isWithin(expected, whole.stored, placed)) return;
  const claim = verdict === 'kept' ? '; it should be kept with the entry, but is not' : '';
  differences.push({
    text: `${whole.row.key} in ${whole.collection}${pathOf(place.words)}: ${why}${claim}`,
    keys: [...place.keys.map(({ key }) => key), ...place.attributes, ...elsewhere],
  });
}

/** Fields of a stored entry that say which one it is; a value that is only here is not kept. */
const NAMES_ENTRY = ['_id', '_rev', 'id', 'documentId', 'locale'];

/** Whether every single value occurs somewhere in the entry, in any form. */
function isWithin(expected: Expected, entry: Entry, placed: ReadonlyMap<string, EntryRow>): boolean {
  const found = new Set<string>();
  for (const [name, value] of Object.entries(entry))
    if (!NAMES_ENTRY.includes(name))
      for (const leaf of leavesOf(value)) for (const form of formsOf(leaf)) found.add(form);
  const isThere = (value: unknown): boolean =>
    [...leavesOf(value)].every((leaf) => formsOf(leaf).some((form) => found.has(form))) ||
    found.has(`text ${JSON.stringify(value)}`);
  const visit = (one: Expected): boolean => {
    if (one.kind === 'value') return isThere(one.value);
    if (one.kind === 'items') return one.items.every(({ fields }) => [...fields.values()].every(visit));
    return one.to.every(({ key }) => isThere(placed.get(key)?.documentId ?? parseRowKey(key).ref));
  };
  return visit(expected);
}

/** Values of accounts that are stored in another form on purpose. */
const OF_ACCOUNTS: Readonly<Record<string, (text: string) => string>> = {
  email: (text) => text.toLowerCase(),
  resetPasswordToken: hashCode,
  confirmationToken: hashCode,
};

function compareValue(
  check: Comparison,
  name: string,
  expected: Extract<Expected, { kind: 'value' }>,
  holder: Holder,
): void {
  const { whole, counted } = check;
  const { value } = expected;
  const isEntry = holder.words.length === 0;
  if (isEntry && name === 'publishedAt' && whole.copy) return;
  counted.values += 1;
  const found = holder.stored[name];
  // As an attribute of the project, it cannot have the name that identifies documents.
  const isTaken = isEntry && name === 'documentId';
  if (!isTaken && isSameValue(value, found)) return;
  const form = isEntry && whole.type.uid === USER_UID ? OF_ACCOUNTS[name] : undefined;
  if (form && typeof value === 'string' && form(value) === found) return;
  const why = `${shortly(value)} is stored as ${shortly(isTaken ? null : found)}`;
  settle(check, within(holder, name), expected, { why });
}

const itemsIn = (value: unknown): readonly Entry[] =>
  (Array.isArray(value) ? value : [value]).filter(isObject);

function compareItems(
  check: Comparison,
  name: string,
  expected: Extract<Expected, { kind: 'items' }>,
  holder: Holder,
): void {
  const { items } = expected;
  const stored = itemsIn(holder.stored[name]);
  const isZone = holder.model?.attributes.get(name)?.kind === 'zone';
  const place = within(holder, name);
  const itemAt = (item: ExpectedItem, number: number, entry: Entry): Holder => ({
    uid: item.uid,
    model: modelOf(check.schema, item.uid),
    stored: entry,
    words: [...place.words, String(number)],
    keys: [...place.keys, { key: item.key, depth: place.words.length + 1 }],
    attributes: [item.uid, ...place.attributes],
    prefixes: place.prefixes,
  });
  const compare = (into: Comparison, item: ExpectedItem, number: number, entry: Entry): void => {
    if (isZone && entry['__component'] !== item.uid)
      settle(into, itemAt(item, number, entry), expected, {
        why: `${item.uid} is stored as ${shortly(entry['__component'])}`,
      });
    compareFields(into, item.fields, itemAt(item, number, entry));
  };
  let next = 0;
  const isLeftOut = (item: ExpectedItem, number: number): boolean => {
    if (items.length === stored.length) return false;
    const entry = stored[next];
    const at = itemAt(item, number, {});
    if (!check.reported.names(at)) return false;
    if (!entry || item.missing) return true;
    const attempt: Comparison = {
      ...check,
      reported: check.reported.except(at),
      counted: { values: 0, links: 0 },
      differences: [],
      inverse: [],
    };
    compare(attempt, item, number, entry);
    return attempt.differences.length > 0;
  };
  for (const [number, item] of items.entries()) {
    if (isLeftOut(item, number)) {
      const why = `component ${item.key} is not stored`;
      settle(check, itemAt(item, number, {}), { kind: 'items', items: [item] }, { why });
      continue;
    }
    const entry = stored[next];
    next += 1;
    if (entry && items.length >= stored.length) compare(check, item, number, entry);
  }
  if (next !== stored.length)
    settle(check, place, expected, { why: `${items.length} items, ${stored.length} are stored` });
}

function compareLinks(
  check: Comparison,
  name: string,
  expected: Extract<Expected, { kind: 'links' }>,
  holder: Holder,
): void {
  const { schema, placed, counted, inverse, whole } = check;
  const place = name === '' ? holder : within(holder, name);
  const attribute = holder.model?.attributes.get(name);
  const isLink = attribute?.kind === 'relation' || attribute?.kind === 'media';
  counted.links += expected.to.length;
  const missing = (to: ExpectedLink, why: string): void => {
    const { ref } = parseRowKey(to.key);
    const mention = check.reported.verdict(place, ref) === null ? placed.get(to.key)?.documentId : ref;
    settle(check, place, { kind: 'links', to: [to] }, { why, mention: mention ?? ref });
  };
  for (const value of expected.others ?? [])
    settle(check, place, { kind: 'value', value }, { why: `${shortly(value)} is stored nowhere` });
  const times = new Map<string, number>();
  const order: number[] = [];
  for (const to of expected.to) {
    const row = placed.get(to.key);
    const seen = times.get(to.key) ?? 0;
    times.set(to.key, seen + 1);
    if (!isLink || attribute.system || !row?.documentId) missing(to, `the link to ${to.key} is not stored`);
    else if (attribute.kind === 'relation' && !attribute.owner) {
      const other = attribute.mappedBy ?? attribute.morphBy ?? '';
      inverse.push({ from: whole, place, to, attribute: other });
    } else {
      const links = readLinks(holder.stored, attribute);
      const matches = links.flatMap((link, at) =>
        isLinkTo(check, { attribute, link, row, to, schema }) ? [at] : [],
      );
      const at = matches[seen];
      if (at !== undefined) order.push(at);
      else if (matches.length > 0)
        settle(
          check,
          { ...place, keys: [] },
          { kind: 'links', to: [to] },
          { why: `the link to ${to.key} is listed twice, and stored once` },
        );
      else missing(to, `the link to ${to.key} is not stored`);
    }
  }
  const sorted = [...order].sort((a, b) => a - b);
  if (attribute && isLink && attribute.many && !isDeepStrictEqual(order, sorted))
    settle(check, place, expected, { why: 'the links are stored in another order' });
}

interface LinkToFind {
  readonly attribute: RelationAttribute | MediaAttribute;
  readonly link: {
    readonly documentId: string;
    readonly type: string | null;
    readonly locale: string | null;
  };
  readonly row: EntryRow;
  readonly to: ExpectedLink;
  readonly schema: Schema;
}

function isLinkTo(
  { defaultLocale, whole }: Comparison,
  { attribute, link, row, to, schema }: LinkToFind,
): boolean {
  const { uid } = parseRowKey(to.key);
  const held = attribute.kind === 'media' ? FILE_UID : attribute.target;
  if (link.documentId !== row.documentId || (held ?? link.type) !== uid) return false;
  if (to.anyLocale || !schema.contentTypes.get(uid)?.localized) return true;
  const own = whole.type.localized ? (whole.row.locale ?? NO_LOCALE) : defaultLocale;
  return (link.locale ?? own) === (row.locale ?? NO_LOCALE);
}

/** Whether a stored target refers back to the row. */
export const refersBack = (
  { from: { documentId, row } }: InverseLink,
  attribute: RelationAttribute,
  target: Entry,
): boolean =>
  readLinks(target, attribute).some(
    (link) => link.documentId === documentId && (attribute.target ?? link.type) === row.uid,
  );

/** Reports a link that its target does not hold, unless the report says so of the target. */
export function missingInverse(check: Comparison, { from, place, to, attribute }: InverseLink): void {
  const { uid, ref } = parseRowKey(to.key);
  const elsewhere = [to.key, `${uid} ${check.placed.get(to.key)?.documentId}`];
  const owner: ReportedPlace = {
    words: [attribute],
    keys: elsewhere.map((key) => ({ key, depth: 0 })),
    attributes: [],
    prefixes: [],
  };
  if (check.reported.verdict(owner, from.documentId) === 'lost') return;
  const why = `the link to ${to.key} is not stored there`;
  settle(check, place, { kind: 'links', to: [to] }, { why, mention: ref, elsewhere });
}

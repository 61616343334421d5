import type { Status } from '../../query/read-plan.js';
import type { ContentType, Schema } from '../../schema/types.js';
import { collectionName } from '../../store/connection/collections.js';
import type { Entry } from '../../store/entries/changes.js';
import { isBson } from '../../values/bson.js';
import { keyText } from '../../values/json-form.js';
import { componentUid, membersOf } from '../plan/items.js';
import { readLinks } from '../relations/stored-links.js';
import { digest } from './digest.js';
import { type ClaimKind, claimKinds, type ItemStep } from './kinds.js';

/** Something that an entry has and no other document may. */
export interface Claim {
  readonly id: string;
  /** documentId of the entry. */
  readonly owner: string;
  /** Where another entry would have it. */
  readonly collection: string;
  readonly filter: Entry;
  /** The places and values that are refused where it is taken; none for a one-to-one, which goes to whoever takes it last. */
  readonly places: readonly ClaimedValue[];
}

interface ClaimedValue {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** What one version of a document claims. */
export function claimsOf(schema: Schema, type: ContentType, status: Status, entry: Entry): Claim[] {
  return claimKinds(schema, type).flatMap((kind) => claimsOfKind(kind, { type, status, entry }));
}

/** Whether two forms of one document claim the same by this kind, since what it is about has stayed. */
export const isKept = (kind: ClaimKind, before: Entry, after: Entry): boolean =>
  ['locale', '_links', ...attributesOf(kind)].every((name) => before[name] === after[name]);

/** The entry's own attributes whose values make the claim. */
function attributesOf(kind: ClaimKind): readonly string[] {
  if (kind.kind === 'together') return kind.names;
  const [first] = kind.kind === 'unique' ? kind.within : [];
  return [(first ?? kind).attribute.name];
}

/** One version of a type's entries. */
export interface VersionOf {
  readonly type: ContentType;
  readonly status: Status;
}

interface ClaimingEntry extends VersionOf {
  readonly entry: Entry;
}

export function claimsOfKind(kind: ClaimKind, { type, status, entry }: ClaimingEntry): Claim[] {
  const locale = type.localized ? String(entry['locale']) : '';
  const inLocale = type.localized ? { locale: entry['locale'] } : {};
  const make = (what: string, filter: Entry, places: readonly ClaimedValue[]): Claim => ({
    id: `${type.uid}/${kind.name}/${what}`,
    owner: String(entry['documentId']),
    collection: collectionName(type, status),
    filter: { ...filter, ...inLocale },
    places,
  });
  if (kind.kind === 'oneToOne') {
    const target = entry[kind.attribute.name];
    if (target === null || target === undefined) return [];
    const [link] = readLinks(entry, kind.attribute);
    // A target in another locale than the default one is a target of its own (rules F.3).
    const inTarget = link?.locale ? { [`_links.${kind.name}.locale`]: link.locale } : {};
    const what = [status, locale, keyText(target), ...Object.values(inTarget)].join('/');
    return [make(what, { [kind.name]: target, ...inTarget }, [])];
  }
  // Drafts may hold duplicates (rules 0.4, row 9).
  if (status !== 'published') return [];
  if (kind.kind === 'together') {
    const values = kind.names.map((name) => entry[name]);
    if (values.some((value) => value === null || !isComparable(value))) return [];
    const filter = Object.fromEntries(kind.names.map((name) => [name, entry[name]]));
    const places = kind.names.map((name) => ({ path: [name], value: entry[name] }));
    return [make(`${locale}/${digest(values)}`, filter, places)];
  }
  const { within, attribute } = kind;
  return [...placesOf(entry, within, attribute.name)]
    .filter(({ value }) => value !== '' && isComparable(value))
    .map((place) =>
      make(`${locale}/${digest([place.value])}`, filterFor(within, attribute.name, place.value), [place]),
    );
}

/** A list or an object is not a value that a filter can look for; null is never compared. */
const isComparable = (value: unknown): boolean =>
  value !== null &&
  value !== undefined &&
  (typeof value !== 'object' || value instanceof Date || isBson(value));

/** The values of an attribute in an entry, or in the items of a component of it. */
function* placesOf(
  entry: Entry,
  [step, ...deeper]: readonly ItemStep[],
  name: string,
  path: readonly string[] = [],
): Generator<ClaimedValue> {
  if (!step) return yield { path: [...path, name], value: entry[name] };
  const { attribute, component } = step;
  for (const { item, path: place } of membersOf(attribute, entry))
    if (componentUid(attribute, item) === component) yield* placesOf(item, deeper, name, [...path, ...place]);
}

const filterFor = (
  [step, ...deeper]: readonly ItemStep[],
  name: string,
  value: unknown,
  prefix = '',
): Entry => {
  if (!step) return { [`${prefix}${name}`]: value };
  const { attribute, component } = step;
  return attribute.kind === 'zone'
    ? {
        [`${prefix}${attribute.name}`]: {
          $elemMatch: { __component: component, ...filterFor(deeper, name, value) },
        },
      }
    : filterFor(deeper, name, value, `${prefix}${attribute.name}.`);
};

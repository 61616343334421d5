import { collectionName, statusesOf } from '../../schema/stored/collections.js';
import type { ContentType } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import { type Claiming, newClaim } from '../../store/entries/claims.js';
import { isBson } from '../../values/bson.js';
import { keyText } from '../../values/json-form.js';
import { componentUid, valuesOfItems } from '../plan/items.js';
import { readLinks } from '../relations/stored-links.js';
import type { VersionOf } from '../stored-versions.js';
import { digest } from './digest.js';
import type { ClaimKind, ItemStep } from './kinds.js';

/** Something that an entry has and that no other document may have. */
export interface Claim {
  readonly id: string;
  /** documentId of the entry. */
  readonly owner: string;
  /** The collection and filter that find another entry which has it. */
  readonly collection: string;
  readonly filter: Entry;
  /** The paths and values to report if it is taken; empty for a one-to-one, where the last write wins. */
  readonly places: readonly ClaimedValue[];
}

interface ClaimedValue {
  readonly path: readonly string[];
  readonly value: unknown;
}

/**
 * Whether a kind yields the same claims before and after a write, because the attributes it depends on are
 * unchanged.
 */
export const isUnchanged = (kind: ClaimKind, before: Entry, after: Entry): boolean =>
  ['locale', '_links', ...attributesOf(kind)].every((name) => before[name] === after[name]);

/** The top-level attributes whose values make up the claim. */
function attributesOf(kind: ClaimKind): readonly string[] {
  if (kind.kind === 'together') return kind.names;
  const [first] = kind.kind === 'unique' ? kind.within : [];
  return [(first ?? kind).attribute.name];
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
    // A link to a locale other than the default one is a separate target.
    const inTarget = link?.locale ? { [`_links.${kind.name}.locale`]: link.locale } : {};
    const what = [status, locale, keyText(target), ...Object.values(inTarget)].join('/');
    return [make(what, { [kind.name]: target, ...inTarget }, [])];
  }
  // Drafts may hold duplicates.
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

/** The collections of a type, and the claims of these kinds that their entries have. */
export const claimingsOf = (type: ContentType, kinds: readonly ClaimKind[]): readonly Claiming[] =>
  statusesOf(type).map((status) => ({
    collection: collectionName(type, status),
    claimsOf: (entry) =>
      kinds
        .flatMap((kind) => claimsOfKind(kind, { type, status, entry }))
        .map(({ id, owner }) => newClaim(id, owner)),
  }));

/** Lists and objects cannot be matched by a filter; null values are never compared. */
const isComparable = (value: unknown): boolean =>
  value !== null &&
  value !== undefined &&
  (typeof value !== 'object' || value instanceof Date || isBson(value));

/** The values of an attribute in an entry, or in the items of one of its components. */
function* placesOf(
  entry: Entry,
  [step, ...deeper]: readonly ItemStep[],
  name: string,
  path: readonly string[] = [],
): Generator<ClaimedValue> {
  if (!step) return yield { path: [...path, name], value: entry[name] };
  const { attribute, component } = step;
  for (const { item, path: place } of valuesOfItems(attribute, entry))
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

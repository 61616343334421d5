/**
 * Finds the fields that refer to another collection, by searching that collection for their values. Small
 * numbers occur everywhere, so for them the names must also match, unless so many values are found that chance
 * cannot have done it.
 */
import { allForms } from '../schema/stored/key-forms.js';
import type { CollectionFacts, Probe } from '../store/adopted/inspect.js';
import { keyText } from '../values/json-form.js';
import { agreementOf, identifies } from './agreement.js';
import { shareDocuments, withoutCopies } from './copies.js';
import {
  type Agreement,
  type FoundReference,
  type Inspected,
  isUniquePath,
  uniquePaths,
} from './inspected.js';
import { type Kind, NUMBERS } from './kinds.js';
import type { Candidate } from './model.js';
import type { DeclaredReference } from './mongoose.js';
import { capitalized, kebab, namesId, relationName, stemOf } from './names.js';
import { areIds, chanceOf, kindsOf, newValues, type PathValues, repeatedIn } from './statistics.js';

export type Probing = (
  target: CollectionFacts,
  path: string,
  values: readonly unknown[],
) => Promise<Probe | null>;

/** A field that identifies the documents of a collection. */
interface Key {
  readonly to: Inspected;
  readonly path: string;
  readonly values: PathValues;
  readonly kinds: ReadonlySet<Kind>;
  /** How many of its values occur again. */
  readonly repeated: number;
}

const REFERRING: ReadonlySet<Kind> = new Set(['objectId', 'uuid', 'string', 'int', 'long', 'double']);

export async function findReferences(
  all: readonly Inspected[],
  probe: Probing,
  declared: readonly DeclaredReference[] = [],
): Promise<readonly FoundReference[]> {
  const keys = all.flatMap(keysOf);
  const sourceOf = sourcesIn(all);
  const found: FoundReference[] = [];
  for (const from of all)
    for (const candidate of from.findings.candidates) {
      const named = declared.filter((each) => each.from === from.facts.name && each.path === candidate.path);
      const declaration = named.find(({ inverse }) => inverse !== undefined) ?? named[0];
      const only = declaration ?? (candidate.names && { to: candidate.names.collection, toPath: '_id' });
      const references = await targetsOf(from, candidate, {
        keys: only
          ? keysNamed(all, only.to, only.toPath)
          : keys.filter(({ to }) => to === from || sourceOf(to) !== sourceOf(from)),
        declaration,
        probe,
      });
      for (const reference of references) {
        const back = found.findIndex(
          (other) =>
            reference.to === other.from &&
            reference.path === other.candidate.path &&
            reference.from === other.to,
        );
        const other = found[back];
        if (!other) found.push(reference);
        else if (isSurer(reference, other)) found[back] = reference;
      }
    }
  const kept = withoutCopies(found);
  return kept.map((each) => (isPart(each, kept) ? { ...each, partly: true } : each));
}

/**
 * Of two collections with the same values, the one that they are named after has the key, or the one that has them all:
 * `account_id` is the key of `accounts`, even if another collection has each of its values once.
 */
function isSurer(reference: FoundReference, other: FoundReference): boolean {
  const [rank, before] = [rankOf(reference.agreement), rankOf(other.agreement)];
  return rank > before || (rank === before && shareOf(reference) > shareOf(other));
}

const shareOf = ({ found, probed }: FoundReference): number => found / Math.max(probed, 1);

/**
 * The name of the collection whose documents a view shows, directly or through other views; of a collection, its own.
 * Values that occur in both are the same values, so neither refers to the other.
 */
function sourcesIn(all: readonly Inspected[]): (inspected: Inspected) => string {
  const viewed = new Map(all.map(({ facts }) => [facts.name, facts.viewOn]));
  // A server refuses views that form a cycle.
  const sourceOf = (name: string): string => {
    const source = viewed.get(name) ?? null;
    return source === null ? name : sourceOf(source);
  };
  return ({ facts }) => sourceOf(facts.name);
}

/** Whether the field also has DBRefs whose targets do not exist. */
const isPart = (
  { from, candidate: { names, model, attribute } }: FoundReference,
  found: readonly FoundReference[],
) => {
  const ofField = (each: Candidate): boolean => each.model === model && each.attribute === attribute;
  const proven = found.filter(({ candidate }) => ofField(candidate));
  return names !== null && proven.length < from.findings.candidates.filter(ofField).length;
};

const keyOf = (to: Inspected, path: string, values: PathValues | undefined, repeated = 0): Key => ({
  to,
  path,
  values: values ?? newValues(),
  kinds: new Set(values ? kindsOf(values) : []),
  repeated,
});

/** `_id`, and fields that are unique according to an index or, but for exceptions, the whole collection. */
function keysOf(to: Inspected): readonly Key[] {
  const { fields } = to.values;
  const unique = [...(fields ?? [])].flatMap(([name, values]) => {
    if (name === '_id') return [];
    const repeated = isUniquePath(to.facts, name) ? 0 : repeatedIn(values, to.values.count, to.whole);
    return repeated === null ? [] : [keyOf(to, name, values, repeated)];
  });
  const nested = uniquePaths(to.facts)
    .filter((path) => path.includes('.'))
    .flatMap((path) => {
      const values = valuesAt(to.values, path.split('.'));
      return values ? [keyOf(to, path, values)] : [];
    });
  const id = fields?.get('_id');
  return [...(id ? [keyOf(to, '_id', id)] : []), ...unique, ...nested];
}

const valuesAt = (values: PathValues, [first, ...rest]: readonly string[]): PathValues | undefined => {
  if (first === undefined) return values;
  const next = values.fields?.get(first);
  return next && valuesAt(next, rest);
};

/** The field that a model declares as the target, whether or not it is known to be unique. */
const keysNamed = (all: readonly Inspected[], to: string, toPath: string): readonly Key[] =>
  all
    .filter(({ facts }) => facts.name === to)
    .map((looked) => keyOf(looked, toPath, valuesAt(looked.values, toPath.split('.'))));

interface Search {
  readonly keys: readonly Key[];
  readonly declaration: DeclaredReference | undefined;
  readonly probe: Probing;
}

/** The collection with the values, or several collections with a part of them each. */
async function targetsOf(
  from: Inspected,
  candidate: Candidate,
  { keys, declaration, probe }: Search,
): Promise<readonly FoundReference[]> {
  const probes = [...candidate.values.probes.values()];
  const kinds = kindsOf(candidate.values);
  const [only] = keys;
  const inverse = declaration?.inverse === undefined ? {} : { inverse: declaration.inverse };
  const common = { from, candidate, among: candidate.names?.among ?? false, ...inverse };
  // There are no values yet, but the model declares the reference.
  if (declaration && only && probes.length === 0)
    return [
      {
        ...common,
        to: only.to,
        path: only.path,
        probed: 0,
        found: 0,
        agreement: 'collection',
        texts: false,
        single: false,
        repeated: 0,
      },
    ];
  if (probes.length === 0 || !kinds.every((kind) => REFERRING.has(kind))) return [];
  const numeric = kinds.some((kind) => NUMBERS.has(kind));
  // Measurements: those that happen to be keys as well refer to nothing.
  if (numeric && !candidate.values.numbers.integers) return [];
  const isNumber = numeric || isSmall(candidate.values, kinds);
  const certain = declaration !== undefined || candidate.names !== null;
  const possible = keys
    .filter(({ to, path }) => !(to === from && path === candidate.path))
    .map((key) => ({
      key,
      agreement: certain ? 'collection' : agreementOf(candidate, key.to, key.path),
      texts: !isAlike(kinds, key),
    }))
    .filter(({ key, texts }) => !texts || mayBeText(candidate.values, kinds, key))
    .filter(({ key, agreement }) => agreement !== 'field' || mayRefer(from, candidate, key, isNumber))
    .sort(
      (a, b) =>
        rankOf(b.agreement) - rankOf(a.agreement) ||
        Number(b.key.path === '_id') - Number(a.key.path === '_id'),
    );
  const found: FoundReference[] = [];
  const forms = probes.map((value) => allForms(value).map(keyText));
  const proves = (key: Key, likes: boolean, matches: number): boolean => {
    if (candidate.names !== null) return matches > 0;
    const share = matches / probes.length;
    const chance = isNumber && key.to.whole ? chanceOf(probes.map(Number), key.values) : 1;
    return matches > 0 && isProof({ share, found: matches, likes, isNumber, chance, kinds, key });
  };
  for (const { key, agreement, texts } of possible) {
    if (found.some(({ to }) => to === key.to)) continue;
    const likes = agreement !== null;
    // Most fields have nothing in common, and the samples tell.
    if (!proves(key, likes, texts ? mostTexts(forms, key) : mostFound(forms, key))) continue;
    const answer = await probe(key.to.facts, key.path, texts ? probes.flatMap(allForms) : probes);
    if (!answer || !proves(key, likes, answer.found)) continue;
    if (agreement === 'field' && shareDocuments(from, key.to)) continue;
    const share = answer.found / probes.length;
    const single = !candidate.many && isUniquePath(from.facts, candidate.path);
    const { to, path, repeated } = key;
    found.push({
      ...common,
      ...{ to, path, probed: probes.length, found: answer.found, agreement, texts, single, repeated },
    });
    // Numbers and strings may match by chance; missing ObjectIds may be in a further collection.
    if (isNumber || share >= ALL || path !== '_id' || !kinds.every((kind) => IDS.has(kind))) break;
  }
  return found.length > 1 ? found.map((each) => ({ ...each, among: true })) : found;
}

const IDS: ReadonlySet<Kind> = new Set(['objectId', 'uuid']);

/** First the collections that the name means. */
const rankOf = (agreement: Agreement | null): number =>
  agreement === 'collection' ? 2 : agreement === 'field' ? 1 : 0;

/**
 * Whether a field with the name of the key may refer to it. Two collections may each have a `position`, a `year` or a
 * `name`; of these, numbers match by chance, and texts that are different in each document describe it.
 */
const mayRefer = (from: Inspected, candidate: Candidate, { to, path }: Key, isNumber: boolean): boolean =>
  identifies(candidate.field) ||
  (candidate.field !== 'id' && isUniquePath(to.facts, path)) ||
  (!isNumber && !isKeyOf(from, candidate));

/** Whether the field is different in each document of its own collection. */
const isKeyOf = ({ facts, values, whole }: Inspected, { path, many, values: own }: Candidate): boolean =>
  !many && (isUniquePath(facts, path) || repeatedIn(own, values.count, whole) !== null);

interface Evidence {
  /** The share of the values that exist in the target, and their number. */
  readonly share: number;
  readonly found: number;
  /** Whether the names agree. */
  readonly likes: boolean;
  readonly isNumber: boolean;
  /** The probability that numbers near the values would be found as well. */
  readonly chance: number;
  readonly kinds: readonly Kind[];
  readonly key: Key;
}

/** Whether values that were found in the target refer to it. */
function isProof({ share, found, likes, isNumber, chance, kinds, key }: Evidence): boolean {
  if (isNumber) return share >= ALL && (likes || chance < CHANCE);
  if (likes) return share >= AGREEING;
  // Ids of documents do not occur elsewhere by chance; words and codes might.
  if (key.path !== '_id') return share >= ALL && found >= FEW;
  return share >= MATCHING && (!kinds.includes('string') || found >= 2);
}

/**
 * The most values that can be found in the target, given the forms of each as text: those in its sample, if that is the
 * whole collection and tells of all values. Lists have more of them, and decimals may be written differently.
 */
function mostFound(forms: readonly (readonly string[])[], { to, values: { distinct }, kinds }: Key): number {
  if (!to.whole || distinct === null || kinds.has('array') || kinds.has('decimal')) return forms.length;
  return forms.filter((texts) => texts.some((text) => distinct.has(text))).length;
}

/** The same if each value may be found in several forms. */
const mostTexts = (forms: readonly (readonly string[])[], key: Key): number =>
  mostFound(forms, key) === 0 ? 0 : Number.POSITIVE_INFINITY;

/** Whether the target has keys of each kind. */
const isAlike = (kinds: readonly Kind[], key: Key): boolean =>
  kinds.every(
    (kind) => key.kinds.has(kind) || (NUMBERS.has(kind) && [...key.kinds].some((each) => NUMBERS.has(each))),
  );

/** Whether the keys may be equal as text, being strings on one side only. */
function mayBeText(values: PathValues, kinds: readonly Kind[], key: Key): boolean {
  const texts = kinds.includes('string') || key.kinds.has('string');
  if (!texts) return false;
  if (kinds.includes('objectId') || key.kinds.has('objectId'))
    return areIds(values) && [...key.kinds].every((kind) => kind === 'objectId' || kind === 'string');
  return isSmall(values, kinds) && [...key.kinds].every((kind) => kind === 'string' || NUMBERS.has(kind));
}

/**
 * Shares of the values that exist in the target; below 1, since referenced documents may have been deleted. From `ALL`
 * on, no other target is searched.
 */
const ALL = 0.9;
const AGREEING = 0.5;
const MATCHING = 0.2;
/** The number of words or codes that must be found if the names do not agree. */
const FEW = 3;
/** Numbers are found by chance with less than this probability. */
const CHANCE = 1e-6;

/** Whether the values are small numbers, or strings of their digits. */
const isSmall = ({ probes }: PathValues, kinds: readonly Kind[]): boolean =>
  kinds.every((kind) => NUMBERS.has(kind) || kind === 'string') &&
  [...probes.keys()].every((text) => /^-?[\d.]{1,9}$/.test(text));

/**
 * The name of the relation: from the field if it refers to `_id` or ends with the name of the target's field, otherwise
 * from the target.
 */
export const nameOfRelation = ({ candidate, path, to, among }: FoundReference): string => {
  const { field, many, attribute } = candidate;
  if (among) {
    return relationName(stemOf(field), false) + capitalized(relationName(to.name.singular, many));
  }
  // `referee_code` for `people.code`.
  const tail = `-${kebab(path.split('.').at(-1) ?? '')}`;
  if (path !== '_id' && kebab(field).endsWith(tail))
    return relationName(kebab(field).slice(0, -tail.length), many);
  if (path !== '_id' || field === '_id' || field === 'id') return relationName(to.name.singular, many);
  return namesId(field) ? relationName(stemOf(field), many) : attribute;
};

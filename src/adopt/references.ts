/**
 * Finds the fields that refer to another collection, by searching that collection for their values. Numbers
 * and strings alone prove little, since small numbers occur everywhere, so for them the names must also
 * match.
 */
import { allForms } from '../schema/stored/key-forms.js';
import type { CollectionFacts, Probe } from '../store/adopted/inspect.js';
import { type Kind, NUMBERS } from './kinds.js';
import type { Candidate, Findings } from './model.js';
import type { Declared } from './mongoose.js';
import { capitalized, kebab, namesId, relationName, stemOf, type TypeName } from './names.js';
import { areIds, isUnique, kindsOf, type PathValues } from './statistics.js';

/** An inspected collection. */
export interface Inspected {
  readonly facts: CollectionFacts;
  readonly name: TypeName;
  readonly values: PathValues;
  readonly whole: boolean;
  readonly findings: Findings;
}

export type Probing = (
  target: CollectionFacts,
  path: string,
  values: readonly unknown[],
) => Promise<Probe | null>;

export interface Reference {
  readonly from: Inspected;
  readonly candidate: Candidate;
  readonly to: Inspected;
  /** The path in the target. */
  readonly path: string;
  readonly probed: number;
  readonly found: number;
  /** The keys are strings on one side, and ObjectIds or numbers on the other. */
  readonly texts: boolean;
  /** No two documents refer to the same target. */
  readonly single: boolean;
  /** Other values of the field refer to other collections. */
  readonly among: boolean;
  /** Some values of the field do not refer to any known document. */
  readonly partly?: true;
  /** The name of the other side, if a model declares it. */
  readonly inverse?: string;
}

/** A field that identifies the documents of a collection. */
interface Key {
  readonly to: Inspected;
  readonly path: string;
  readonly kinds: ReadonlySet<Kind>;
}

const REFERRING: ReadonlySet<Kind> = new Set(['objectId', 'uuid', 'string', 'int', 'long', 'double']);

export async function findReferences(
  all: readonly Inspected[],
  probe: Probing,
  declared: readonly Declared[] = [],
): Promise<readonly Reference[]> {
  const keys = all.flatMap(keysOf);
  const found: Reference[] = [];
  for (const from of all)
    for (const candidate of from.findings.candidates) {
      const named = declared.filter((each) => each.from === from.facts.name && each.path === candidate.path);
      const declaration = named.find(({ inverse }) => inverse !== undefined) ?? named[0];
      const only = declaration ?? (candidate.names && { to: candidate.names.collection, toPath: '_id' });
      const references = await targetsOf(from, candidate, {
        keys: only ? keysNamed(all, only.to, only.toPath) : keys,
        declaration,
        probe,
      });
      for (const reference of references) {
        const back = found.some(
          (other) =>
            reference.to === other.from &&
            reference.path === other.candidate.path &&
            reference.from === other.to,
        );
        if (!back) found.push(reference);
      }
    }
  return found.map((each) => (isPart(each, found) ? { ...each, partly: true } : each));
}

/** Whether the field also has DBRefs whose targets do not exist. */
const isPart = ({ from, candidate: { names, model, attribute } }: Reference, found: readonly Reference[]) => {
  const ofField = (each: Candidate): boolean => each.model === model && each.attribute === attribute;
  const proven = found.filter(({ candidate }) => ofField(candidate));
  return names !== null && proven.length < from.findings.candidates.filter(ofField).length;
};

/** `_id`, and fields that are unique according to an index or the whole collection. */
function keysOf(to: Inspected): readonly Key[] {
  const { fields } = to.values;
  const unique = [...(fields ?? [])].filter(
    ([name, values]) => name !== '_id' && (isUniquePath(to.facts, name) || isUnique(values, to.whole)),
  );
  const nested = uniquePaths(to.facts)
    .filter((path) => path.includes('.'))
    .flatMap((path) => {
      const values = valuesAt(to.values, path.split('.'));
      return values ? [[path, values] as const] : [];
    });
  const id = fields?.get('_id');
  return [...(id ? [['_id', id] as const] : []), ...unique, ...nested].map(([path, values]) => ({
    to,
    path,
    kinds: new Set(kindsOf(values)),
  }));
}

/** Paths with a unique index of their own that is not partial. */
export const uniquePaths = ({ indexes }: CollectionFacts): readonly string[] =>
  indexes.flatMap(({ keys, unique, partial }) => {
    const paths = Object.keys(keys);
    return unique && !partial && paths.length === 1 ? paths : [];
  });

const isUniquePath = (facts: CollectionFacts, path: string): boolean => uniquePaths(facts).includes(path);

const valuesAt = (values: PathValues, [first, ...rest]: readonly string[]): PathValues | undefined => {
  if (first === undefined) return values;
  const next = values.fields?.get(first);
  return next && valuesAt(next, rest);
};

/** The field that a model declares as the target, whether or not it is known to be unique. */
const keysNamed = (all: readonly Inspected[], to: string, toPath: string): readonly Key[] =>
  all
    .filter(({ facts }) => facts.name === to)
    .map((looked) => {
      const values = valuesAt(looked.values, toPath.split('.'));
      return { to: looked, path: toPath, kinds: new Set(values ? kindsOf(values) : []) };
    });

interface Search {
  readonly keys: readonly Key[];
  readonly declaration: Declared | undefined;
  readonly probe: Probing;
}

/** The collection with the values, or several collections with a part of them each. */
async function targetsOf(
  from: Inspected,
  candidate: Candidate,
  { keys, declaration, probe }: Search,
): Promise<readonly Reference[]> {
  const probes = [...candidate.values.probes.values()];
  const kinds = kindsOf(candidate.values);
  const [only] = keys;
  const inverse = declaration?.inverse === undefined ? {} : { inverse: declaration.inverse };
  const common = { from, candidate, among: candidate.names?.among ?? false, ...inverse };
  // There are no values yet, but the model declares the reference.
  if (declaration && only && probes.length === 0)
    return [{ ...common, to: only.to, path: only.path, probed: 0, found: 0, texts: false, single: false }];
  if (probes.length === 0 || !kinds.every((kind) => REFERRING.has(kind))) return [];
  const isNumber = isSmall(candidate.values, kinds);
  const possible = keys
    .filter(({ to, path }) => !(to === from && path === candidate.path))
    .map((key) => ({
      key,
      likes: declaration !== undefined || candidate.names !== null || nameAgrees(candidate, key),
      texts: !isAlike(kinds, key),
    }))
    .filter(({ key, texts }) => !texts || mayBeText(candidate.values, kinds, key))
    // Other keys would not prove anything, whatever the values.
    .filter(({ key, likes }) => likes || (key.path === '_id' && !isNumber))
    .sort(
      (a, b) =>
        Number(b.likes) - Number(a.likes) || Number(b.key.path === '_id') - Number(a.key.path === '_id'),
    );
  const found: Reference[] = [];
  for (const { key, likes, texts } of possible) {
    if (found.some(({ to }) => to === key.to)) continue;
    const answer = await probe(key.to.facts, key.path, texts ? probes.flatMap(allForms) : probes);
    if (!answer || answer.found === 0) continue;
    const share = answer.found / probes.length;
    if (share < (likes && candidate.names === null ? AGREEING : MATCHING)) continue;
    if (!likes && kinds.includes('string') && answer.found < 2) continue;
    const single = !candidate.many && isUniquePath(from.facts, candidate.path);
    const { to, path } = key;
    found.push({ ...common, to, path, probed: probes.length, found: answer.found, texts, single });
    // Numbers and strings may match by chance; missing ObjectIds may be in a further collection.
    if (isNumber || share >= ALL || path !== '_id' || !kinds.every((kind) => IDS.has(kind))) break;
  }
  return found.length > 1 ? found.map((each) => ({ ...each, among: true })) : found;
}

const IDS: ReadonlySet<Kind> = new Set(['objectId', 'uuid']);

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
 * Shares of the values that exist in the target; below 1, since referenced documents may have been deleted. If
 * the names agree, the values may be numbers that match by chance, so `AGREEING` is required. ObjectIds and
 * longer strings do not match by chance, so `MATCHING` is enough. From `ALL` on, no other target is searched.
 */
const ALL = 0.9;
const AGREEING = 0.5;
const MATCHING = 0.2;

/** Whether the values are small numbers, or strings of their digits. */
const isSmall = ({ probes }: PathValues, kinds: readonly Kind[]): boolean =>
  kinds.every((kind) => NUMBERS.has(kind) || kind === 'string') &&
  [...probes.keys()].every((text) => /^-?[\d.]{1,9}$/.test(text));

/**
 * `student_id` agrees with `students._id`, `theaterId` with `theaters.theaterId`, and `accounts` with
 * `accounts.account_id`.
 */
function nameAgrees({ field, path }: Candidate, { to, path: target }: Key): boolean {
  const stem = stemOf(field);
  const own = [stemOf(to.facts.name), to.name.singular];
  if (target === '_id')
    return own.some((name) => stem === name || stem.endsWith(`-${name}`) || name.endsWith(`-${stem}`));
  const last = target.split('.').at(-1) ?? '';
  const same = kebab(field) === kebab(last);
  const joined = own.some((name) => kebab(field) === `${name}-${kebab(last)}`);
  const named = own.some((name) => name === stem && name === stemOf(last));
  return same || (path !== target && (joined || named));
}

/** The name of the relation: from the field if it refers to `_id`, otherwise from the target. */
export const nameOfRelation = ({ candidate, path, to, among }: Reference): string => {
  const { field, many, attribute } = candidate;
  if (among) {
    return relationName(stemOf(field), false) + capitalized(relationName(to.name.singular, many));
  }
  if (path !== '_id' || field === '_id') return relationName(to.name.singular, many);
  return namesId(field) ? relationName(stemOf(field), many) : attribute;
};

import { type Problem, problemAt, type Repair } from '../error.js';
import type { ModelSource, RawAttribute } from '../files/raw.js';
import { RELATION_RULES } from '../relation.js';
import { FILE_UID } from '../uids.js';

/**
 * Components may contain themselves, since their data is finite. But if every step of the cycle is required
 * and single, no value can be valid.
 */
export function checkCycles(sources: readonly ModelSource[]): readonly Problem[] {
  const steps = new Map(sources.map((source) => [source.uid, requiredSteps(source)]));
  return sources.flatMap((source) => {
    if (source.model !== 'component') return [];
    const [first] = requiredSteps(source).filter(([, uid]) => reaches(uid, source.uid, steps, new Set()));
    return first
      ? [
          problemAt(
            source.file,
            `attributes.${first[0]}.required`,
            `false: the component would contain itself infinitely`,
            { starts: true, value: false },
          ),
        ]
      : [];
  });
}

type Steps = readonly (readonly [attribute: string, uid: string])[];

const requiredSteps = (source: ModelSource): Steps =>
  Object.entries(source.raw.attributes).flatMap(([name, raw]) =>
    raw.type === 'component' &&
    raw.required === true &&
    raw.repeatable !== true &&
    raw.component !== undefined
      ? [[name, raw.component] as const]
      : [],
  );

function reaches(from: string, goal: string, steps: ReadonlyMap<string, Steps>, seen: Set<string>): boolean {
  if (from === goal) return true;
  if (seen.has(from)) return false;
  seen.add(from);
  return (steps.get(from) ?? []).some(([, uid]) => reaches(uid, goal, steps, seen));
}

/** The other models. Only the uid is known of files that have problems of their own. */
export interface Models {
  readonly uids: ReadonlySet<string>;
  readonly byUid: ReadonlyMap<string, ModelSource>;
}

/** Checks a model's relations, components and dynamic zones: the other side must exist and match. */
export function checkReferences(source: ModelSource, models: Models): readonly Problem[] {
  return Object.entries(source.raw.attributes).flatMap(([name, raw]) =>
    (CHECKS[raw.type]?.(source, name, raw, models) ?? []).map(({ option, expected, repair }) => {
      const place = `attributes.${name}`;
      const { on, ...change } = repair;
      return problemAt(source.file, option === '' ? place : `${place}.${option}`, expected, {
        at: on === '' ? place : `${place}.${on}`,
        ...change,
      });
    }),
  );
}

/** What is wrong with an attribute; `repair.on` is the option that is changed, empty for all of it. */
interface Fault {
  readonly option: string;
  readonly expected: string;
  readonly repair: Omit<Repair, 'at'> & { readonly on: string };
}
type Check = (source: ModelSource, name: string, raw: RawAttribute, models: Models) => readonly Fault[];

/** Strapi starts with it; the option is left out here. */
const ignored = (option: string, expected: string, on = option): Fault => ({
  option,
  expected,
  repair: { starts: true, on },
});
/** Strapi starts with it; it has another value here. */
const readAs = (option: string, expected: string, change: { on?: string; value: unknown }): Fault => ({
  option,
  expected,
  repair: { starts: true, on: change.on ?? option, value: change.value },
});
/** Strapi does not start with it; an import leaves the option out. */
const refused = (option: string, expected: string, on = option): Fault => ({
  option,
  expected,
  repair: { starts: false, on },
});

const CHECKS: Readonly<Record<string, Check>> = {
  relation: (source, name, raw, models) => {
    const isMorph = raw.relation?.startsWith('morph') ?? false;
    if (source.model === 'component' && !RELATION_RULES[raw.relation ?? 'oneToOne'].inComponents)
      return [ignored('relation', `a relation to one type in a component, not ${raw.relation}`, '')];
    if (raw.relation === 'morphToOne' || raw.relation === 'morphToMany') return [];
    if (raw.target === undefined) return [refused('target', 'missing', '')];
    if (raw.target.includes('::') && models.uids.has(raw.target))
      return isMorph ? morphInverse(raw, models) : sides(source, name, raw, models);
    // Strapi starts only with the types of its plugins, of which some do not exist here.
    const isOfPlugin = /^(?:plugin|admin)::/.test(raw.target);
    return [
      (isOfPlugin ? ignored : refused)('target', `a content type of this project, not "${raw.target}"`, ''),
    ];
  },
  component: (_source, _name, raw, { uids }) =>
    uids.has(raw.component ?? '')
      ? []
      : [refused('component', `a component of this project, not "${raw.component}"`, '')],
  dynamiczone: (source, _name, raw, { uids }) => {
    if (source.model === 'component')
      return [readAs('type', 'another type: a component has no dynamic zones', { value: 'json' })];
    const known = (raw.components ?? []).filter((uid) => uids.has(uid));
    const missing = (raw.components ?? []).find((uid) => !uids.has(uid));
    return missing === undefined
      ? []
      : [readAs('components', `components of this project, not "${missing}"`, { value: known })];
  },
};

function morphInverse(raw: RawAttribute, models: Models): readonly Fault[] {
  if (raw.target === FILE_UID) {
    const { relation, target: _, morphBy: __, ...rest } = raw;
    const value = { ...rest, type: 'media', multiple: relation === 'morphMany' };
    return [readAs('type', '"media": relations to files are media attributes', { on: '', value })];
  }
  if (raw.morphBy === undefined) return [ignored('morphBy', 'missing', '')];
  const target = models.byUid.get(raw.target ?? '');
  if (!target) return [];
  const other = attributeOf(target, raw.morphBy);
  if (other?.relation === 'morphToOne' || other?.relation === 'morphToMany') return [];
  const expected = `a morphToOne or morphToMany of ${raw.target}, not "${raw.morphBy}"`;
  return [(other ? ignored : refused)('morphBy', expected, '')];
}

/**
 * The two attributes of a bidirectional relation name each other, one with `inversedBy` and the other with
 * `mappedBy`. Strapi only requires that an owner names a relation. What the owner says counts, and if several
 * name the same attribute, that is the other side of the last one; the others are one-way.
 */
function sides(source: ModelSource, name: string, raw: RawAttribute, models: Models): readonly Fault[] {
  const inversedBy = raw.inversedBy ?? undefined;
  const mappedBy = raw.mappedBy ?? undefined;
  if (inversedBy === undefined && mappedBy === undefined) return [];
  if (source.model === 'component')
    return [ignored(inversedBy ? 'inversedBy' : 'mappedBy', 'none: a relation of a component is one-way')];
  if (inversedBy !== undefined && mappedBy !== undefined)
    return [ignored('', '"inversedBy" on the owning side or "mappedBy" on the other, not both', 'mappedBy')];
  if (raw.relation === 'oneToMany' && inversedBy !== undefined)
    return [refused('inversedBy', '"mappedBy": a oneToMany is never the owner')];
  if (raw.relation === 'manyToOne' && mappedBy !== undefined)
    return [refused('mappedBy', '"inversedBy": a manyToOne is always the owner')];
  const target = models.byUid.get(raw.target ?? '');
  if (!target) return [];
  return mappedBy === undefined
    ? ownerFaults({ source, name, raw, target })
    : inverseFaults({ source, name, raw, target });
}

/** An attribute of a bidirectional relation. */
interface Side {
  readonly source: ModelSource;
  readonly name: string;
  readonly raw: RawAttribute;
  readonly target: ModelSource;
}

/** The last attribute of the target that names this one as its other side. */
const ownerOf = ({ source, name, raw, target }: Side): string | undefined => {
  const { inverse } = RELATION_RULES[raw.relation ?? 'oneToOne'];
  return Object.entries(target.raw.attributes)
    .filter(
      ([, other]) =>
        other.type === 'relation' &&
        other.relation === inverse &&
        other.target === source.uid &&
        (other.mappedBy ?? undefined) === undefined &&
        other.inversedBy === name,
    )
    .map(([owner]) => owner)
    .at(-1);
};

function ownerFaults({ source, name, raw, target }: Side): readonly Fault[] {
  const other = attributeOf(target, raw.inversedBy ?? '');
  const { inverse } = RELATION_RULES[raw.relation ?? 'oneToOne'];
  const answers =
    other?.type === 'relation' &&
    other.relation === inverse &&
    other.target === source.uid &&
    (other.mappedBy ?? undefined) !== undefined;
  const inverseSide = { source: target, name: raw.inversedBy ?? '', raw: other ?? raw, target: source };
  if (answers && [other.mappedBy, ownerOf(inverseSide)].includes(name)) return [];
  const wanted = `a ${inverse} of ${raw.target} with target ${source.uid} and mappedBy "${name}"`;
  const expected = `${wanted}; "${raw.inversedBy}" is not one`;
  return [(other?.type === 'relation' ? ignored : refused)('inversedBy', expected)];
}

function inverseFaults(side: Side): readonly Fault[] {
  const { source, name, raw } = side;
  const owner = ownerOf(side);
  if (owner === raw.mappedBy) return [];
  const { inverse } = RELATION_RULES[raw.relation ?? 'oneToOne'];
  const wanted = `a ${inverse} of ${raw.target} with target ${source.uid} and inversedBy "${name}"`;
  if (owner === undefined) return [ignored('mappedBy', `${wanted}; "${raw.mappedBy}" is not one`)];
  return [readAs('mappedBy', `"${owner}", the last ${wanted}`, { value: owner })];
}

const attributeOf = (source: ModelSource, name: string): RawAttribute | undefined =>
  Object.hasOwn(source.raw.attributes, name) ? source.raw.attributes[name] : undefined;

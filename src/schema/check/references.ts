import { type Problem, problemAt } from '../error.js';
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

/**
 * Checks a model's relations, components and dynamic zones: the other side must exist and match (rules D.3,
 * D.5).
 */
export function checkReferences(source: ModelSource, models: Models): readonly Problem[] {
  return Object.entries(source.raw.attributes).flatMap(([name, raw]) =>
    (CHECKS[raw.type]?.(source, name, raw, models) ?? []).map(([option, expected]) =>
      problemAt(source.file, option === '' ? `attributes.${name}` : `attributes.${name}.${option}`, expected),
    ),
  );
}

type Found = readonly (readonly [option: string, expected: string])[];
type Check = (source: ModelSource, name: string, raw: RawAttribute, models: Models) => Found;

const CHECKS: Readonly<Record<string, Check>> = {
  relation: (source, name, raw, models) => {
    if (source.model === 'component' && !RELATION_RULES[raw.relation ?? 'oneToOne'].inComponents)
      return [['relation', `oneToOne or oneToMany in a component, not ${raw.relation}`]];
    if (raw.relation === 'morphToOne' || raw.relation === 'morphToMany') return [];
    if (raw.target === undefined) return [['target', 'missing']];
    if (raw.target.includes('::') && models.uids.has(raw.target))
      return raw.relation === 'morphOne' || raw.relation === 'morphMany'
        ? morphInverse(raw, models)
        : sides(source, name, raw, models);
    return [['target', `a content type of this project, not "${raw.target}"`]];
  },
  component: (_source, _name, raw, { uids }) =>
    uids.has(raw.component ?? '')
      ? []
      : [['component', `a component of this project, not "${raw.component}"`]],
  dynamiczone: (source, _name, raw, { uids }) =>
    source.model === 'component'
      ? [['type', 'another type: a component has no dynamic zones']]
      : (raw.components ?? [])
          .filter((uid) => !uids.has(uid))
          .map((uid) => ['components', `components of this project, not "${uid}"`] as const),
};

function morphInverse(raw: RawAttribute, models: Models): Found {
  if (raw.target === FILE_UID) return [['type', '"media": relations to files are media attributes']];
  if (raw.morphBy === undefined) return [['morphBy', 'missing']];
  const target = models.byUid.get(raw.target ?? '');
  if (!target) return [];
  const other = attributeOf(target, raw.morphBy);
  return other?.relation === 'morphToOne' || other?.relation === 'morphToMany'
    ? []
    : [['morphBy', `a morphToOne or morphToMany of ${raw.target}, not "${raw.morphBy}"`]];
}

/**
 * The two attributes of a bidirectional relation name each other, one with `inversedBy` and the other with
 * `mappedBy`.
 */
function sides(source: ModelSource, name: string, raw: RawAttribute, models: Models): Found {
  const inversedBy = raw.inversedBy ?? undefined;
  const mappedBy = raw.mappedBy ?? undefined;
  if (inversedBy === undefined && mappedBy === undefined) return [];
  if (source.model === 'component')
    return [[inversedBy ? 'inversedBy' : 'mappedBy', 'none: a relation of a component is one-way']];
  if (inversedBy !== undefined && mappedBy !== undefined)
    return [['', '"inversedBy" on the owning side or "mappedBy" on the other, not both']];
  if (raw.relation === 'oneToMany' && inversedBy !== undefined)
    return [['inversedBy', '"mappedBy": a oneToMany is never the owner']];
  if (raw.relation === 'manyToOne' && mappedBy !== undefined)
    return [['mappedBy', '"inversedBy": a manyToOne is always the owner']];
  const target = models.byUid.get(raw.target ?? '');
  if (!target) return [];
  const option = inversedBy === undefined ? 'mappedBy' : 'inversedBy';
  const answer = option === 'mappedBy' ? 'inversedBy' : 'mappedBy';
  const otherName = inversedBy ?? mappedBy ?? '';
  const other = attributeOf(target, otherName);
  const { inverse } = RELATION_RULES[raw.relation ?? 'oneToOne'];
  const fits =
    other?.type === 'relation' &&
    other.relation === inverse &&
    other.target === source.uid &&
    (other[answer] ?? undefined) === name;
  const wanted = `a ${inverse} of ${raw.target} with target ${source.uid} and ${answer} "${name}"`;
  return fits ? [] : [[option, `${wanted}; "${otherName}" is not one`]];
}

const attributeOf = (source: ModelSource, name: string): RawAttribute | undefined =>
  Object.hasOwn(source.raw.attributes, name) ? source.raw.attributes[name] : undefined;

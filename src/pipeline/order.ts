/**
 * Sorting (SPEC A.13): null first ascending, each entry once. Through a relation or a list the first related row in sort order
 * decides, so only that one value is looked up, the page is cut, and populated afterwards.
 */
import type { ComponentHop, RelationHop, SortKey } from '../query/read-plan.js';
import { collectionName } from './collection.js';
import { ALWAYS, and } from './combine.js';
import { gather, mapItems } from './gather.js';
import { followsParent, localeMatch, parentLocale } from './locale.js';
import { linkOf } from './place.js';
import type { Scope } from './scope.js';
import type { Expression, Stage, Step } from './types.js';

export function sortStages(keys: readonly SortKey[], scope: Scope): readonly Stage[] {
  const before: Stage[] = [];
  const order: Record<string, 1 | -1> = {};
  for (const key of keys) {
    const path = plainPath(key);
    if (path !== null) {
      order[path] ??= key.direction;
      continue;
    }
    const field = `_s${scope.next()}`;
    const { stages, value } = sortValue(key, field, scope);
    before.push(...stages, { $set: { [field]: value } });
    order[field] = key.direction;
  }
  order['id'] ??= 1;
  return [...before, { $sort: order }];
}

/** The path to sort by where nothing has to be computed. JSON may be a list, whose members MongoDB would sort by. */
function plainPath({ via, attribute }: SortKey): string | null {
  if (attribute.type === 'json' || attribute.type === 'blocks') return null;
  if (!via.every((hop) => hop.kind === 'component' && !hop.attribute.many)) return null;
  return [...via.map((hop) => hop.attribute.name), attribute.name].join('.');
}

interface Value {
  readonly stages: readonly Stage[];
  readonly value: Expression;
}

function sortValue({ via, attribute, direction }: SortKey, field: string, scope: Scope): Value {
  const at = via.findIndex((hop) => hop.kind === 'relation');
  const steps = stepsOf(via.slice(0, at < 0 ? via.length : at));
  const hop = via[at];
  if (hop?.kind !== 'relation') return { stages: [], value: ownValue(steps, attribute.name, direction) };
  const inner = { via: via.slice(at + 1), attribute, direction };
  return relatedValue(hop, steps, inner, field, scope);
}

function ownValue(steps: readonly Step[], name: string, direction: 1 | -1): Expression {
  const leaf = (base: string): Expression => ({ $ifNull: [`${base}${name}`, null] });
  // Wrapped, so that a JSON list is compared as one value.
  return steps.some(({ list }) => list) ? first(mapItems(steps, leaf), direction) : [mapItems(steps, leaf)];
}

function relatedValue(
  hop: RelationHop,
  steps: readonly Step[],
  inner: SortKey,
  field: string,
  scope: Scope,
): Value {
  const listed = steps.some(({ list }) => list);
  const prefix = steps.map(({ name }) => `${name}.`).join('');
  const { name, many } = hop.attribute;
  const link = linkOf(hop, prefix);
  const ofParent = link.localizations
    ? parentLocale('$ne')
    : followsParent(hop.target, hop.locale)
      ? parentLocale('$eq')
      : null;
  const match = and([localeMatch(hop.target, hop.locale), ofParent?.match ?? ALWAYS]);
  const innerField = `_s${scope.next()}`;
  const path = plainPath(inner);
  const value = path === null ? sortValue(inner, innerField, scope) : { stages: [], value: `$${path}` };
  const lookup = {
    $lookup: {
      from: collectionName(hop.target, hop.status),
      localField: listed ? field : link.local,
      foreignField: link.foreign,
      ...(ofParent ? { let: ofParent.let } : {}),
      pipeline: [
        ...(match === ALWAYS || Object.keys(match).length === 0 ? [] : [{ $match: match }]),
        ...value.stages,
        { $project: { _id: 0, documentId: 1, value: value.value } },
      ],
      as: field,
    },
  };
  if (!listed) return { stages: [lookup], value: first(valuesOf(`$${field}`), inner.direction) };
  const ofItem = (base: string): Expression => {
    const references = many ? { $ifNull: [`${base}${name}`, []] } : [`${base}${name}`];
    const found = {
      $filter: { input: `$${field}`, as: 'row', cond: { $in: ['$$row.documentId', references] } },
    };
    return first(valuesOf(found), inner.direction);
  };
  return {
    stages: [{ $set: { [field]: gather(steps, name, many) } }, lookup],
    value: first(mapItems(steps, ofItem), inner.direction),
  };
}

const valuesOf = (rows: Expression): Expression => ({
  $map: { input: rows, as: 'row', in: { $ifNull: ['$$row.value', null] } },
});

/** The value that comes first: no row is a row of nulls, and null comes first ascending, last descending. */
const first = (values: Expression, direction: 1 | -1): Expression =>
  direction === -1
    ? { $ifNull: [{ $max: values }, null] }
    : {
        $let: {
          vars: { values },
          in: { $cond: [{ $in: [null, '$$values'] }, null, { $ifNull: [{ $min: '$$values' }, null] }] },
        },
      };

const stepsOf = (via: readonly (RelationHop | ComponentHop)[]): readonly Step[] =>
  via.map(({ attribute }) => ({
    name: attribute.name,
    list: attribute.kind === 'component' && attribute.many,
  }));

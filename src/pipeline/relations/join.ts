/**
 * A filter through a relation, second strategy: `$lookup` beside the entry. For semi-joins with too many ids, and where the
 * locale to look up is each entry's own. Same answers as by ids.
 */

import type { LinkedLocale } from '../../query/read-plan.js';
import { collectionName } from '../collection.js';
import { NEVER } from '../rows/combine.js';
import { inAllForms } from '../rows/other-forms.js';
import { type FieldPath, insideList } from '../rows/place.js';
import { otherRowStages, rowStages } from '../rows/rows.js';
import type { Doc, Expression, Stage } from '../types.js';
import { gather, markItems, type Reference, referencesAt } from './gather.js';
import { linkedKeys, rowKey } from './linked-rows.js';
import { computedKeys } from './local-keys.js';
import type { Related, RelatedMatch } from './semi-join.js';

interface JoinRequest extends Related {
  readonly place: FieldPath;
  readonly attribute: Reference & { readonly name: string };
  /** Each reference names the locale of its row. */
  readonly linked: LinkedLocale | undefined;
  readonly let: Doc | undefined;
}

interface Joined extends RelatedMatch {
  readonly stages: readonly Stage[];
}

export function joinMatch(request: JoinRequest): Joined {
  return insideList(request.place) ? joinItems(request) : joinEntry(request);
}

/** In the entry itself: the rows found stand in a side field, which is empty or not. */
function joinEntry({ link, source, rows, numbers, orNone, let: bound }: JoinRequest): Joined {
  const keys = computedKeys(link);
  const lookup = (as: string, stages: readonly Stage[]): readonly Stage[] => [
    ...(keys === null ? [] : [{ $set: { [as]: keys } }]),
    {
      $lookup: {
        from: collectionName(source.type, source.status),
        localField: keys === null ? link.local : as,
        foreignField: link.foreign,
        ...(bound ? { let: bound } : {}),
        pipeline: [...stages, { $limit: 1 }, { $project: { _id: 1 } }],
        as,
      },
    },
  ];
  const [found, others] = [sideField(numbers[0]), sideField(numbers[1])];
  const some = { [`${found}.0`]: { $exists: true } };
  if (!orNone) return { stages: lookup(found, rowStages(rows)), some, none: NEVER };
  return {
    stages: [...lookup(found, rowStages(rows)), ...lookup(others, otherRowStages(rows))],
    some,
    none: { [`${others}.0`]: { $exists: false } },
  };
}

/** In component items: all their references are looked up at once, and each item is marked with what was found of its own. */
function joinItems({
  source,
  rows,
  numbers,
  orNone,
  place,
  attribute,
  linked,
  link,
  let: bound,
}: JoinRequest): Joined {
  const from = collectionName(source.type, source.status);
  const inForms = (keys: Expression): Expression => (link.texts ? inAllForms(keys) : keys);
  const references = (base: string): Expression =>
    linked
      ? linkedKeys(`${base}${place.prefix}`, attribute, linked.otherwise)
      : inForms(referencesAt(`${base}${place.prefix}`, attribute));
  const mark = (field: string, stages: readonly Stage[]): readonly Stage[] => [
    { $set: { [field]: inForms(gather(place.steps, attribute)) } },
    {
      $lookup: {
        from,
        localField: field,
        foreignField: link.foreign,
        ...(bound ? { let: bound } : {}),
        pipeline: [...stages, { $project: { _id: 0, key: linked ? rowKey : `$${link.foreign}` } }],
        as: field,
      },
    },
    { $set: { [field]: { $map: { input: `$${field}`, in: '$$this.key' } } } },
    markItems(place.steps, field, (base) => ({
      $gt: [{ $size: { $setIntersection: [references(base), `$${field}`] } }, 0],
    })),
  ];
  const [found, others] = [sideField(numbers[0]), sideField(numbers[1])];
  const some = { [found]: { $eq: true } };
  if (!orNone) return { stages: mark(found, rowStages(rows)), some, none: NEVER };
  return {
    stages: [...mark(found, rowStages(rows)), ...mark(others, otherRowStages(rows))],
    some,
    none: { [others]: { $eq: false } },
  };
}

/** Attribute names begin with a letter, so these never meet one. */
const sideField = (number: number): string => `_f${number}`;

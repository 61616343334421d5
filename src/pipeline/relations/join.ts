/**
 * A filter through a relation, second strategy: a `$lookup` beside the entry. For semi-joins with too many
 * ids, and when each entry's own locale determines the locale of the target. Matches the same entries as by
 * ids.
 */

import type { LinkedLocale } from '../../query/read-plan.js';
import { NEVER } from '../rows/combine.js';
import { inForms } from '../rows/other-forms.js';
import type { FieldPath } from '../rows/place.js';
import { otherRowStages, rowStages } from '../rows/rows.js';
import { insideList } from '../step.js';
import type { Doc, Expression, Match, Stage } from '../types.js';
import { markItems, type ReferenceAttribute, referencesAt, referencesIn } from './item-expressions.js';
import { currentRowKey, linkedKeys } from './linked-rows.js';
import { computedKeys } from './local-keys.js';
import type { Related, RelatedMatch } from './semi-join.js';

interface JoinRequest extends Related {
  readonly place: FieldPath;
  readonly attribute: ReferenceAttribute & { readonly name: string };
  /** Set if each reference names the locale of its target. */
  readonly linked: LinkedLocale | undefined;
  readonly let: Doc | undefined;
}

interface Joined extends RelatedMatch {
  readonly stages: readonly Stage[];
}

export function joinMatch(request: JoinRequest): Joined {
  const { rows, numbers, orNone } = request;
  const { stages, says } = insideList(request.place.steps) ? inItems(request) : inEntry(request);
  const [found, others] = [lookupField(numbers[0]), lookupField(numbers[1])];
  return {
    stages: [...stages(found, rowStages(rows)), ...(orNone ? stages(others, otherRowStages(rows)) : [])],
    some: says(found, true),
    none: orNone ? says(others, false) : NEVER,
  };
}

/** The stages that find whether each entry has one of these rows, and the match on their result. */
interface Join {
  readonly stages: (field: string, rows: readonly Stage[]) => readonly Stage[];
  readonly says: (field: string, has: boolean) => Match;
}

/** In the entry itself: the lookup field holds the found rows or is empty. */
function inEntry({ link, source, let: bound }: JoinRequest): Join {
  const keys = computedKeys(link);
  return {
    stages: (field, rows) => [
      ...(keys === null ? [] : [{ $set: { [field]: keys } }]),
      {
        $lookup: {
          from: source.collection,
          localField: keys === null ? link.local : field,
          foreignField: link.foreign,
          ...(bound ? { let: bound } : {}),
          pipeline: [...rows, { $limit: 1 }, { $project: { _id: 1 } }],
          as: field,
        },
      },
    ],
    says: (field, has) => ({ [`${field}.0`]: { $exists: has } }),
  };
}

/**
 * In component items: all their references are looked up at once, and each item is marked with whether one of
 * its own was found.
 */
function inItems({ source, place, attribute, linked, link, let: bound }: JoinRequest): Join {
  const references = (base: string): Expression =>
    linked
      ? linkedKeys(`${base}${place.prefix}`, attribute, linked.otherwise)
      : inForms(referencesAt(`${base}${place.prefix}`, attribute), link);
  return {
    stages: (field, rows) => [
      { $set: { [field]: inForms(referencesIn(place.steps, attribute), link) } },
      {
        $lookup: {
          from: source.collection,
          localField: field,
          foreignField: link.foreign,
          ...(bound ? { let: bound } : {}),
          pipeline: [...rows, { $project: { _id: 0, key: linked ? currentRowKey : `$${link.foreign}` } }],
          as: field,
        },
      },
      { $set: { [field]: { $map: { input: `$${field}`, in: '$$this.key' } } } },
      markItems(place.steps, field, (base) => ({
        $gt: [{ $size: { $setIntersection: [references(base), `$${field}`] } }, 0],
      })),
    ],
    says: (field, has) => ({ [field]: { $eq: has } }),
  };
}

/** No attribute may have such a name (`schema/names.ts`). */
const lookupField = (number: number): string => `_f${number}`;

/**
 * A filter through a relation, first strategy: query the targets' ids first, then match the entry with `$in`.
 */
import type { Condition } from '../../query/read-plan.js';
import { NEVER } from '../rows/combine.js';
import type { ParentRule } from '../rows/locale.js';
import type { JoinFields } from '../rows/place.js';
import { noRows, otherRowStages, type Rows, rowStages } from '../rows/rows.js';
import { slotsOf } from '../slots.js';
import { type Match, type SemiJoin, Slot, type Source, type Stage } from '../types.js';

export interface Related {
  readonly link: JoinFields;
  readonly source: Source;
  readonly rows: Rows;
  /** The semi-join numbers for the rows that satisfy the condition, and for the existing rows that do not. */
  readonly numbers: readonly [number, number];
  /** Whether entries without an existing target also match. */
  readonly orNone: boolean;
}

/** A condition on the targets of a relation in one source; compiled once, however many paths lead to it. */
export interface CompiledRelated {
  readonly where: Condition;
  readonly related: Related;
  readonly ofParent: ParentRule | null;
  /** Absent if each entry looks up its own rows. */
  readonly byIds?: RelatedMatch;
}

/**
 * `some` matches entries with a target that satisfies the condition; `none` matches entries whose existing
 * targets all satisfy it.
 */
export interface RelatedMatch {
  readonly some: Match;
  readonly none: Match;
}

/**
 * Adds the queries to `semiJoins`. `some`: the entry's references include an id that satisfies the condition.
 * `none`: they include no id of an existing row that does not.
 */
export function idsMatch(
  { link, source, rows, numbers, orNone }: Related,
  semiJoins: SemiJoin[],
): RelatedMatch {
  const list = (number: number, stages: readonly Stage[]): Slot => {
    const needs = slotsOf(stages).filter((of) => typeof of === 'number');
    semiJoins.push({ number, source, stages, field: link.foreign, texts: link.texts, needs });
    return new Slot(number);
  };
  return {
    some: noRows(rows) ? NEVER : { [link.local]: { $in: list(numbers[0], rowStages(rows)) } },
    none: orNone ? { [link.local]: { $nin: list(numbers[1], otherRowStages(rows)) } } : NEVER,
  };
}

/** The last stage of a semi-join: projects the fields that are used. */
export function projectionOf({ field, check }: SemiJoin): Stage {
  const way = check?.items.map(({ stored }) => stored) ?? [];
  const paths = check
    ? [
        [...way, field],
        [...way, ...check.path],
      ]
    : [[field]];
  return {
    $project: {
      ...(field === '_id' ? {} : { _id: 0 }),
      ...Object.fromEntries(paths.map((path) => [path.join('.'), 1])),
    },
  };
}

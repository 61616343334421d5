/** A filter through a relation, first strategy: the targets' ids by a query before, then `$in` in the entry. */
import type { Condition, Version } from '../../query/read-plan.js';
import { NEVER } from '../rows/combine.js';
import type { ParentRule } from '../rows/locale.js';
import type { Link } from '../rows/place.js';
import { noRows, otherRowStages, type Rows, rowStages } from '../rows/rows.js';
import { slotsOf } from '../slots.js';
import { type Match, type SemiJoin, Slot, type Source, type Stage } from '../types.js';

export interface Related {
  readonly link: Link;
  readonly source: Source;
  readonly rows: Rows;
  /** The numbers of the rows that satisfy the condition, and of the existing rows that do not. */
  readonly numbers: readonly [number, number];
  /** Entries without an existing row match too. */
  readonly orNone: boolean;
}

/** A condition on the rows of one version that a relation leads to: asked for once, however many ways lead there. */
export interface CompiledRelated {
  readonly where: Condition;
  readonly version: Version;
  readonly related: Related;
  readonly ofParent: ParentRule | null;
  /** Absent where each entry looks its rows up. */
  readonly byIds?: RelatedMatch;
}

/** Matches for entries of which some related row satisfies the condition, and for those without an existing row that fails. */
export interface RelatedMatch {
  readonly some: Match;
  readonly none: Match;
}

/** Adds their queries to `semiJoins`. Some: an id of theirs is among the entry's references. None: no reference of the entry names a row that exists and fails. */
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

/** The last stage of a semi-join: only what is read of its rows. */
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

import type { Match, Stage } from '../types.js';
import { and, isAlways, isNever, not } from './combine.js';

/** The rows of a collection that satisfy a condition. */
export interface Rows {
  /** Status, locale, document: true of every row that counts as one at all. */
  readonly base: Match;
  /** What further makes a row count, by looking beside it. */
  readonly among: readonly Stage[];
  /** The part of the condition that needs no join: matched first, together with `base`. */
  readonly first: Match;
  readonly joins: readonly Stage[];
  /** The part that reads what the joins found. */
  readonly last: Match;
}

const matchStage = (match: Match): readonly Stage[] => (isAlways(match) ? [] : [{ $match: match }]);

export const rowStages = (rows: Rows): readonly Stage[] => matchesAndJoins(rows).flat();

/** What is matched at once, and what takes lookups. */
export const matchesAndJoins = ({
  base,
  among,
  first,
  joins,
  last,
}: Rows): readonly [matches: readonly Stage[], joins: readonly Stage[]] => [
  matchStage(and([base, first])),
  [...among, ...joins, ...matchStage(last)],
];

/** The rows of the same base that do not satisfy it. */
export function otherRowStages({ base, among, first, joins, last }: Rows): readonly Stage[] {
  const condition = and([first, last]);
  return joins.length === 0
    ? [...matchStage(and([base, not(condition)])), ...among]
    : [...matchStage(base), ...among, ...joins, ...matchStage(not(condition))];
}

/** No row can satisfy it. */
export const noRows = ({ base, first, last }: Rows): boolean => isNever(and([base, first, last]));

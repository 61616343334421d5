import type { Match, Stage } from '../types.js';
import { allMatch, isAlways, isNever, not } from './combine.js';

/** The rows of a collection that satisfy a condition. */
export interface Rows {
  /** Conditions on status, locale and document, apart from the filter. */
  readonly base: Match;
  /** Stages that exclude further rows by lookups. */
  readonly among: readonly Stage[];
  /** The part of the condition that needs no join; matched first, together with `base`. */
  readonly first: Match;
  readonly joins: readonly Stage[];
  /** The part that uses the results of the joins. */
  readonly last: Match;
}

const matchStage = (match: Match): readonly Stage[] => (isAlways(match) ? [] : [{ $match: match }]);

export const rowStages = (rows: Rows): readonly Stage[] => matchesAndJoins(rows).flat();

/** The stages in two parts: the first match, and the stages with lookups. */
export const matchesAndJoins = ({
  base,
  among,
  first,
  joins,
  last,
}: Rows): readonly [matches: readonly Stage[], joins: readonly Stage[]] => [
  matchStage(allMatch([base, first])),
  [...among, ...joins, ...matchStage(last)],
];

/** The rows with the same base that do not satisfy the condition. */
export function otherRowStages({ base, among, first, joins, last }: Rows): readonly Stage[] {
  const condition = allMatch([first, last]);
  return joins.length === 0
    ? [...matchStage(allMatch([base, not(condition)])), ...among]
    : [...matchStage(base), ...among, ...joins, ...matchStage(not(condition))];
}

/** Whether no row can match. */
export const noRows = ({ base, first, last }: Rows): boolean => isNever(allMatch([base, first, last]));

import type { Habit } from '../../store/read.js';
import { newCache } from './plan-cache.js';
import type { ReadRequest } from './prepare-read.js';

/** Queries that differ in their values only, such as the slug that is asked for, are of one kind. */
const kindOf = ({ type, query }: ReadRequest): string | null =>
  typeof query === 'string' ? `${type.uid} ${query.replaceAll(/=[^&]*/g, '')}` : null;

/** What is learned of kinds of reads, so that a plan made for the first time profits too. */
export const newHabits = (most: number) => {
  const habits = newCache<Habit>(most);
  return {
    of(request: ReadRequest): Habit {
      const kind = kindOf(request);
      const known = kind === null ? undefined : habits.get(kind);
      const habit = known ?? { pageTells: false };
      if (kind !== null && !known) habits.set(kind, habit);
      return habit;
    },
  };
};

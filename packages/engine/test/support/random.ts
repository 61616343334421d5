import { randomInt } from 'node:crypto';

const NAME = 'MANGROVE_SEED';

function seedOfRun(): number {
  const given = process.env[NAME] ?? '20261';
  if (given !== 'random') return Number(given);
  const fresh = randomInt(2 ** 31);
  // For the run's other processes, and for whoever wants to repeat it.
  process.env[NAME] = String(fresh);
  console.error(`${NAME}=${fresh}`);
  return fresh;
}

/**
 * What all random tests begin from: the same number in every run, so that a run on unchanged code can be repeated.
 * `MANGROVE_SEED` is another number, or `random` for a fresh one, which is printed.
 */
export const SEED = seedOfRun();

/** Numbers from a seed (mulberry32), so that a schedule can be repeated. */
export interface Random {
  /** An integer from 0 up to, but not including, `end`. */
  below(end: number): number;
  pick<T>(list: readonly T[]): T;
}

export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number): number => Math.floor(next() * end);
  return {
    below,
    pick: (list) => {
      const found = list[below(list.length)];
      if (found === undefined) throw new RangeError('nothing to pick from');
      return found;
    },
  };
}

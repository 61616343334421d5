import type { Compare } from '../../values/compare.js';
import { isNullish } from '../../values/types.js';
import { stepwise } from '../../values/work.js';

/** Selects some of many values. */
export type PickSome = (values: unknown[], n: number, compare: Compare) => unknown[];

const present = (values: readonly unknown[]): unknown[] => values.filter((value) => !isNullish(value));

/** What each operator selects, from an array or from the documents of a group. */
export const PICK_SOME: Readonly<Record<'$firstN' | '$lastN' | '$minN' | '$maxN', PickSome>> = {
  $firstN: (values, n) => values.slice(0, n),
  $lastN: (values, n) => values.slice(-n),
  $minN: (values, n, compare) => present(values).sort(stepwise(compare)).slice(0, n),
  $maxN: (values, n, compare) =>
    present(values)
      .sort(stepwise((a, b) => compare(b, a)))
      .slice(0, n),
};

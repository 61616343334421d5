import type { Document } from 'bson';
import { fail } from '../../errors.js';
import { add, addWide, divide } from '../../values/arithmetic.js';
import { pushHold, setHold } from '../../values/hold.js';
import { makeDouble, readNumber, toDouble } from '../../values/numbers.js';
import { setMember } from '../../values/paths.js';
import { bsonTypeOf, isDocument, isNullish, isNumeric } from '../../values/types.js';
import type { Scope } from '../scope.js';
import { PICK_SOME, type PickSome } from './pick-some.js';

/** Accumulates the values of one group. */
export interface Accumulator {
  add(value: unknown): void;
  result(): unknown;
}

/** Creates the accumulator of one group; `argument` is the constant part of its operand. */
export type MakeAccumulator = (scope: Scope, argument?: unknown) => Accumulator;

/** A sum that compensates for rounding errors in additions of doubles, as MongoDB's does, so that 0.1 ten times is 1. */
export function makeSum(): Accumulator & { count: number } {
  let doubles = 0;
  let lost = 0;
  let hasDouble = false;
  let exact: unknown = 0;
  return {
    count: 0,
    add(value) {
      const number = readNumber(value);
      if (number === undefined) return;
      this.count += 1;
      if (number.type !== 'double') {
        exact = add(exact, value);
        return;
      }
      hasDouble = true;
      const next = doubles + number.value;
      if (Number.isFinite(next)) {
        lost +=
          Math.abs(doubles) >= Math.abs(number.value)
            ? doubles - next + number.value
            : number.value - next + doubles;
      }
      doubles = next;
    },
    result() {
      if (!hasDouble) return exact;
      const total = doubles + lost;
      if (bsonTypeOf(exact) === 'decimal') return addWide(exact, makeDouble(total));
      return makeDouble(total + toDouble(exact));
    },
  };
}

function average(): Accumulator {
  const sum = makeSum();
  return {
    add: (value) => sum.add(value),
    result: () => (sum.count === 0 ? null : divide(sum.result(), sum.count)),
  };
}

function extreme(sign: 1 | -1): MakeAccumulator {
  return ({ compare }) => {
    let best: unknown;
    return {
      add(value) {
        if (!isNullish(value) && (best === undefined || compare(value, best) * sign > 0)) best = value;
      },
      result: () => best ?? null,
    };
  };
}

function deviation(sample: boolean): MakeAccumulator {
  return () => {
    let count = 0;
    let mean = 0;
    let squares = 0;
    return {
      add(value) {
        if (!isNumeric(value)) return;
        const number = toDouble(value);
        count += 1;
        const delta = number - mean;
        mean += delta / count;
        squares += delta * (number - mean);
      },
      result() {
        const degrees = sample ? count - 1 : count;
        return degrees <= 0 ? null : makeDouble(Math.sqrt(squares / degrees));
      },
    };
  };
}

function collect(pick: (values: unknown[], scope: Scope, argument: unknown) => unknown): MakeAccumulator {
  return (scope, argument) => {
    const values: unknown[] = [];
    return { add: (value) => void values.push(value), result: () => pick(values, scope, argument) };
  };
}

const orNull = (value: unknown): unknown => (value === undefined ? null : value);

const push: MakeAccumulator = () => {
  const values: unknown[] = [];
  const hold = pushHold();
  return {
    add(value) {
      if (value === undefined) return;
      hold.add(value);
      values.push(value);
    },
    result: () => values,
  };
};

const addToSet: MakeAccumulator = ({ hash }) => {
  const seen = new Map<unknown, unknown>();
  const hold = setHold();
  return {
    add(value) {
      if (value === undefined) return;
      const key = hash(value);
      if (seen.has(key)) return;
      hold.add(value);
      seen.set(key, value);
    },
    result: () => [...seen.values()],
  };
};

const merge: MakeAccumulator = () => {
  const out: Document = {};
  return {
    add(value) {
      if (isNullish(value)) return;
      if (!isDocument(value))
        fail(40400, `$mergeObjects requires object inputs, but input is of type ${bsonTypeOf(value)}`);
      for (const key of Object.keys(value)) setMember(out, key, value[key]);
    },
    result: () => out,
  };
};

/** The number at or below which a share `p` of sorted numbers lies, as a discrete percentile. */
function percentiles(values: unknown[], _scope: Scope, shares: unknown): unknown {
  const numbers = values
    .filter(isNumeric)
    .map(toDouble)
    .sort((a, b) => a - b);
  return (shares as number[]).map((p) => {
    if (!(p >= 0 && p <= 1))
      fail(7750303, "The $percentile 'p' field must be an array of numbers from [0.0, 1.0]");
    if (numbers.length === 0) return null;
    return makeDouble(numbers[Math.max(0, Math.ceil(p * numbers.length) - 1)] as number);
  });
}

const first: MakeAccumulator = () => {
  let taken = false;
  let held: unknown;
  return {
    add(value) {
      if (taken) return;
      taken = true;
      held = value;
    },
    result: () => orNull(held),
  };
};

const last: MakeAccumulator = () => {
  let held: unknown;
  return {
    add(value) {
      held = value;
    },
    result: () => orNull(held),
  };
};

const count: MakeAccumulator = () => {
  let seen = 0;
  return {
    add() {
      seen += 1;
    },
    result: () => seen,
  };
};

/** The declaration of an accumulator. */
interface AccumulatorRule {
  readonly make: MakeAccumulator;
  /** What it takes besides the value of one expression: a number of results, or percentiles. It receives that as its argument. */
  readonly takes?: 'n' | 'shares';
  /** The version of MongoDB that introduced it, if later than 5.0. */
  readonly since?: number;
}

/** Missing values count as nulls among those that are selected. */
const several = (pick: PickSome): AccumulatorRule => ({
  make: collect((values, { compare }, n) => pick(values, n as number, compare).map(orNull)),
  takes: 'n',
  since: 5.2,
});

/** Accumulators by name, except those that sort. */
export const ACCUMULATORS: Readonly<Record<string, AccumulatorRule>> = {
  $sum: { make: makeSum },
  $avg: { make: average },
  $min: { make: extreme(-1) },
  $max: { make: extreme(1) },
  $first: { make: first },
  $last: { make: last },
  $push: { make: push },
  $addToSet: { make: addToSet },
  $mergeObjects: { make: merge },
  $stdDevPop: { make: deviation(false) },
  $stdDevSamp: { make: deviation(true) },
  $count: { make: count },
  $firstN: several(PICK_SOME.$firstN),
  $lastN: several(PICK_SOME.$lastN),
  $minN: several(PICK_SOME.$minN),
  $maxN: several(PICK_SOME.$maxN),
  $percentile: { make: collect(percentiles), takes: 'shares', since: 7 },
  $median: {
    make: collect((values, scope) => (percentiles(values, scope, [0.5]) as unknown[])[0]),
    takes: 'shares',
    since: 7,
  },
};

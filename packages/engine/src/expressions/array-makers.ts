import { fail } from '../errors.js';
import { toDouble } from '../values/numbers.js';
import { bsonTypeOf, isNullish } from '../values/types.js';
import { currentWork, tick } from '../values/work.js';
import { type Argument, anInt32, needed } from './argument.js';
import { type Operators, several, variadic } from './operator.js';

/** The size in bytes that MongoDB counts for a value in an array. */
const VALUE_BYTES = 16;

/** Throws ExceededMemoryLimit for an array with more values than an expression may have. */
function holdValues(count: number): void {
  if (count * VALUE_BYTES > currentWork().limits.expressionBytes)
    fail('ExceededMemoryLimit', `an array of ${count} values exceeds the memory limit of an expression`);
}

/** One array of the items of all of these; null if one of them is null. */
export function concatArrays(values: Iterable<unknown>, name: string): unknown {
  const out: unknown[] = [];
  for (const value of values) {
    if (isNullish(value)) return null;
    if (!Array.isArray(value)) fail(28664, `${name} only supports arrays, not ${bsonTypeOf(value)}`);
    holdValues(out.length + value.length);
    for (const item of value) {
      tick();
      out.push(item);
    }
  }
  return out;
}

const BOUND = (code: number): Argument<unknown> =>
  needed(
    anInt32(
      code,
      '$op requires a numeric value, found value of type: $type',
      '$op requires a value that can be represented as a 32-bit integer, found value: $number',
    ),
  );

function range(values: readonly unknown[]): unknown {
  const [start, end, step = 1] = values.map(toDouble) as [number, number, number?];
  if (step === 0) fail(34449, '$range requires a non-zero step value');
  holdValues(Math.max(0, Math.ceil((end - start) / step)));
  const out: number[] = [];
  for (let i = start; step > 0 ? i < end : i > end; i += step) {
    tick();
    out.push(i);
  }
  return out;
}

/** Operators that return arrays longer than their inputs. */
export const ARRAY_MAKERS: Operators = {
  $concatArrays: variadic(concatArrays),
  $range: several([2, 3], range, [BOUND(34443), BOUND(34445), BOUND(34447)]),
};

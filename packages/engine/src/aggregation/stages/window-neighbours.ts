import { fail } from '../../errors.js';
import { readMembers } from '../../expressions/operator.js';
import { makeDouble, toDouble } from '../../values/numbers.js';
import { bsonTypeOf, isNullish, isNumeric } from '../../values/types.js';
import { position } from './window-bounds.js';
import { type CompileFunction, needSort, refuseWindow } from './window-function.js';

/** The value of the document a number of positions away. */
export const shift: CompileFunction = (spec, scope) => {
  needSort(spec);
  refuseWindow(spec);
  const {
    output,
    by,
    default: otherwise = null,
  } = readMembers('$shift', spec.operand, {
    required: ['output', 'by'],
    optional: ['default'],
  });
  if (!Number.isInteger(toDouble(by)))
    fail('FailedToParse', `'$shift:by' field must be an integer, but found ${bsonTypeOf(by)}`);
  const read = scope.compile(output);
  const constant = scope.compile(otherwise).constant;
  if (constant === undefined)
    return fail('FailedToParse', "'$shift:default' expression must yield a constant value.");
  const fallback = constant.value;
  return ({ rows }) =>
    rows.map((_, row) => {
      const other = rows[row + toDouble(by)];
      return (other === undefined ? undefined : read(other)) ?? fallback;
    });
};

/** An average in which older documents count less and less. */
export const movingAverage: CompileFunction = (spec, scope) => {
  needSort(spec);
  refuseWindow(spec);
  const { input, N, alpha } = readMembers('$expMovingAvg', spec.operand, {
    required: ['input'],
    optional: ['N', 'alpha'],
  });
  if ((N === undefined) === (alpha === undefined))
    fail('FailedToParse', "$expMovingAvg requires exactly one of 'N' and 'alpha'");
  if (N !== undefined && (!Number.isInteger(toDouble(N)) || toDouble(N) <= 0))
    fail('FailedToParse', "'N' field must be a positive integer");
  if (alpha !== undefined && (!isNumeric(alpha) || toDouble(alpha) <= 0 || toDouble(alpha) >= 1))
    fail('FailedToParse', "'alpha' must be between 0 and 1 (exclusive)");
  const weight = alpha === undefined ? 2 / (toDouble(N) + 1) : toDouble(alpha);
  const read = scope.compile(input);
  return ({ rows }) => {
    let average: number | undefined;
    return rows.map((document) => {
      const value = read(document);
      if (!isNumeric(value)) return average === undefined ? null : makeDouble(average);
      const number = toDouble(value);
      average = average === undefined ? number : number * weight + average * (1 - weight);
      return makeDouble(average);
    });
  };
};

/** Fills a null with the last value before it. */
export const lastCarried: CompileFunction = ({ operand }, scope) => {
  const read = scope.compile(operand);
  return ({ rows }) => {
    let held: unknown = null;
    return rows.map((document) => {
      const value = read(document);
      if (!isNullish(value)) held = value;
      return held;
    });
  };
};

/** Fills nulls between two values in proportion to the sort key. */
export const linear: CompileFunction = ({ operand }, scope) => {
  const read = scope.compile(operand);
  return ({ rows, keys }) => {
    const values = rows.map(read);
    const out = [...values];
    let last = -1;
    values.forEach((value, row) => {
      if (isNullish(value)) {
        out[row] = null;
        return;
      }
      for (let i = last + 1; last >= 0 && i < row; i++) {
        const [x0, x1, x] = [keys[last], keys[row], keys[i]].map(position) as [number, number, number];
        const [y0, y1] = [values[last], value].map(position) as [number, number];
        out[i] = makeDouble(y0 + ((y1 - y0) * (x - x0)) / (x1 - x0));
      }
      last = row;
    });
    return out;
  };
};

import type { Document } from 'bson';
import { fail } from '../../errors.js';
import { compileAccumulator, isOfWindows } from '../../expressions/accumulators/compile-accumulator.js';
import { FIXED } from '../../expressions/date-steps.js';
import { compileArguments, readMembers } from '../../expressions/operator.js';
import type { Scope } from '../../expressions/scope.js';
import { makeDouble, toDouble } from '../../values/numbers.js';
import { isDocument, isNumeric } from '../../values/types.js';
import { currentWork, tick } from '../../values/work.js';
import { compileWindow, position, type Span } from './window-bounds.js';
import type { CompileFunction, WindowFunction } from './window-function.js';
import { lastCarried, linear, movingAverage, shift } from './window-neighbours.js';

function counted(next: (number: number, row: number, tie: boolean) => number): CompileFunction {
  return ({ name, operand, window, sortBy }) => {
    if (window !== undefined) fail(5371601, `Rank style window functions take no other arguments: ${name}`);
    if (!isDocument(operand) || Object.keys(operand).length > 0)
      fail(5371603, `${name} must be specified with '{}' as the value`);
    if (Object.keys(sortBy ?? {}).length !== 1) {
      fail(5371602, `${name} must be specified with a top level sortBy expression with exactly one element`);
    }
    return count(next);
  };
}

function count(next: (number: number, row: number, tie: boolean) => number): WindowFunction {
  return (partition) => {
    let number = 0;
    return partition.rows.map((_, row) => {
      number = next(number, row, partition.ties(row));
      return number;
    });
  };
}

/** An accumulator over each row's window. Windows that only grow are extended from row to row. */
const accumulated: CompileFunction = ({ name, operand, windows }, scope) => {
  const { input, make } = compileAccumulator({ [name]: operand }, name, scope);
  const spans = windows();
  return ({ rows, keys }) => {
    const spanOf = spans({ length: rows.length, keys });
    const first = rows[0] as Document;
    let state = make(first);
    let span: Span = { from: 0, to: 0 };
    return rows.map((_, row) => {
      const next = spanOf(row);
      if (next.from !== span.from || next.to < span.to) {
        state = make(first);
        span = { from: next.from, to: next.from };
      }
      for (let i = span.to; i < next.to; i++) {
        tick();
        state.add(input(rows[i] as Document));
      }
      span = next;
      const result = state.result() ?? null;
      // The state continues with its own list.
      return Array.isArray(result) ? [...result] : result;
    });
  };
};

/** MongoDB's codes for a sort key that is not a date if there is a unit, and for one that is not a number if there is none. */
const POINT_CODES: Readonly<Record<string, readonly [number, number]>> = {
  $derivative: [5624900, 5624901],
  $integral: [5423901, 5423902],
};

const refuseUnit = (): never =>
  fail(currentWork().version < 6 ? 5490704 : 5490710, "unit must be 'week' or smaller");

/** `$derivative` and `$integral`: over the points (sort key, value) of the window. */
function overPoints(compute: (xs: number[], ys: number[]) => number | null): CompileFunction {
  return (spec, scope) => {
    const { name, operand, window, sortBy, windows } = spec;
    const { input, unit } = readMembers(name, operand, { required: ['input'], optional: ['unit'] });
    if (Object.keys(sortBy ?? {}).length !== 1)
      fail('FailedToParse', `${name} requires a sortBy of one field`);
    if (window === undefined && name === '$derivative')
      fail('FailedToParse', `${name} requires explicit window bounds`);
    const read = scope.compile(input);
    const length = unit === undefined ? 1 : (FIXED[unit] ?? refuseUnit());
    const spans = windows();
    const [noDate, noNumber] = POINT_CODES[name] as [number, number];
    return ({ rows, keys }) => {
      for (const key of keys) {
        if (unit !== undefined && !(key instanceof Date))
          fail(noDate, `${name} with 'unit' expects the sortBy field to be a Date`);
        if (unit === undefined && !isNumeric(key))
          fail(noNumber, `${name} (with no 'unit') expects the sortBy field to be numeric`);
      }
      const spanOf = spans({ length: rows.length, keys });
      return rows.map((_, row) => {
        const { from, to } = spanOf(row);
        // Relative to the first, since a date is a large number.
        const start = from < to ? position(keys[from]) : 0;
        const xs = keys.slice(from, to).map((key) => (position(key) - start) / length);
        const ys = rows.slice(from, to).map((document) => position(read(document)));
        const result = compute(xs, ys);
        return result === null ? null : makeDouble(result);
      });
    };
  };
}

const derivative = overPoints((xs, ys) => {
  if (xs.length < 2) return null;
  const run = (xs.at(-1) as number) - (xs[0] as number);
  return run === 0 ? null : ((ys.at(-1) as number) - (ys[0] as number)) / run;
});

const integral = overPoints((xs, ys) => {
  if (xs.length === 0) return null;
  let area = 0;
  for (let i = 1; i < xs.length; i++) {
    area += (((ys[i] as number) + (ys[i - 1] as number)) / 2) * ((xs[i] as number) - (xs[i - 1] as number));
  }
  return area;
});

function covariance(sample: boolean): CompileFunction {
  return ({ name, operand, windows }, scope) => {
    const spans = windows();
    const inputs = compileArguments(name, operand, scope, 2);
    return ({ rows, keys }) => {
      const spanOf = spans({ length: rows.length, keys });
      return rows.map((_, row) => {
        const { from, to } = spanOf(row);
        const pairs = rows.slice(from, to).map((document) => inputs.map((input) => input(document)));
        const numbers = pairs
          .filter((pair) => pair.every(isNumeric))
          .map((pair) => pair.map(toDouble) as [number, number]);
        const degrees = numbers.length - (sample ? 1 : 0);
        if (degrees <= 0) return null;
        const mean = [0, 1].map(
          (i) => numbers.reduce((sum, pair) => sum + (pair[i] as number), 0) / numbers.length,
        ) as [number, number];
        return makeDouble(numbers.reduce((sum, [x, y]) => sum + (x - mean[0]) * (y - mean[1]), 0) / degrees);
      });
    };
  };
}

const FUNCTIONS: Readonly<Record<string, CompileFunction>> = {
  $documentNumber: counted((number) => number + 1),
  $rank: counted((number, row, tie) => (tie ? number : row + 1)),
  $denseRank: counted((number, _row, tie) => (tie ? number : number + 1)),
  $shift: shift,
  $derivative: derivative,
  $integral: integral,
  $expMovingAvg: movingAverage,
  $locf: lastCarried,
  $linearFill: linear,
  $covariancePop: covariance(false),
  $covarianceSamp: covariance(true),
};

/** Window functions that MongoDB introduced after 5.0. */
const SINCE: Readonly<Record<string, number>> = { $locf: 5.2, $linearFill: 5.3 };

/** Compiles one output of `$setWindowFields`. Throws FailedToParse. */
export function compileWindowFunction(
  spec: unknown,
  field: string,
  sortBy: Document | undefined,
  scope: Scope,
): WindowFunction {
  if (!isDocument(spec)) return fail('FailedToParse', `The field '${field}' must be an object`);
  const { window, ...rest } = spec;
  const [name, odd] = Object.keys(rest);
  if (name === undefined || !name.startsWith('$'))
    return fail('FailedToParse', `Expected a $-prefixed window function, ${name ?? ''}`);
  const own = Object.hasOwn(FUNCTIONS, name) ? (FUNCTIONS[name] as CompileFunction) : undefined;
  const known = own !== undefined || isOfWindows(name);
  if (!known || currentWork().version < (SINCE[name] ?? 0))
    fail('FailedToParse', `Unrecognized window function, ${name}`);
  if (odd !== undefined) fail('FailedToParse', `Window function ${name} found an unknown argument: ${odd}`);
  return (own ?? accumulated)(
    { name, operand: rest[name], window, sortBy, windows: () => compileWindow(window, sortBy, scope) },
    scope,
  );
}

import { fail } from '../errors.js';
import { toDouble } from '../values/numbers.js';
import { isDocument } from '../values/types.js';
import { tick } from '../values/work.js';
import { ACCUMULATORS, type Accumulator, type MakeAccumulator } from './accumulators/accumulators.js';
import { checkMethod } from './accumulators/compile-accumulator.js';
import { listOf, type Operator, type Operators, since } from './operator.js';

/** An accumulator used as an expression: over its arguments, or over the elements of its only one. */
function overArguments(name: string): Operator {
  return (operand, scope) => {
    const inputs = listOf(operand).map((item) => scope.compile(item));
    const { make } = ACCUMULATORS[name] as { make: MakeAccumulator };
    const [only] = inputs;
    const spread = inputs.length === 1;
    return (root) => {
      const accumulator = make(scope);
      const values = spread ? elementsOf(only?.(root)) : inputs.map((input) => input(root));
      return resultOf(accumulator, values);
    };
  };
}

/** The result of an accumulator for some values. */
function resultOf(accumulator: Accumulator, values: readonly unknown[]): unknown {
  for (const value of values) {
    tick();
    accumulator.add(value);
  }
  return accumulator.result();
}

const elementsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

const percentile =
  (name: '$percentile' | '$median'): Operator =>
  (operand, scope) => {
    if (!isDocument(operand)) return fail('FailedToParse', `${name} needs an object`);
    const { input, p = [0.5], method } = operand;
    checkMethod(method);
    const source = scope.compile(input);
    const wanted = scope.compile(p);
    return (root) => {
      const value = source(root);
      const { make } = ACCUMULATORS['$percentile'] as { make: MakeAccumulator };
      const accumulator = make(scope, (wanted(root) as unknown[]).map(toDouble));
      const result = resultOf(accumulator, elementsOf(value));
      return name === '$median' && Array.isArray(result) ? (result[0] ?? null) : result;
    };
  };

/** Accumulators that are expressions too. */
export const ACCUMULATED: Operators = {
  ...Object.fromEntries(
    ['$sum', '$avg', '$min', '$max', '$stdDevPop', '$stdDevSamp'].map((name) => [name, overArguments(name)]),
  ),
  $percentile: since(7, percentile('$percentile')),
  $median: since(7, percentile('$median')),
};

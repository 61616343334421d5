import { fail } from '../errors.js';
import { toDouble } from '../values/numbers.js';
import { isDocument } from '../values/types.js';
import { tick } from '../values/work.js';
import { ACCUMULATORS, type MakeAccumulator } from './accumulators/accumulators.js';
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
      const first = spread ? only?.(root) : undefined;
      const values = spread ? (Array.isArray(first) ? first : [first]) : inputs.map((input) => input(root));
      for (const value of values) {
        tick();
        accumulator.add(value);
      }
      return accumulator.result();
    };
  };
}

const percentile =
  (name: '$percentile' | '$median'): Operator =>
  (operand, scope) => {
    if (!isDocument(operand)) return fail('FailedToParse', `${name} needs an object`);
    const { input, p = [0.5], method } = operand;
    if (method !== 'approximate')
      fail('BadValue', "Currently only 'approximate' can be used as percentile 'method'.");
    const source = scope.compile(input);
    const wanted = scope.compile(p);
    return (root) => {
      const value = source(root);
      const { make } = ACCUMULATORS['$percentile'] as { make: MakeAccumulator };
      const accumulator = make(scope, (wanted(root) as unknown[]).map(toDouble));
      for (const item of Array.isArray(value) ? value : [value]) {
        tick();
        accumulator.add(item);
      }
      const result = accumulator.result();
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

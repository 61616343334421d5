import type { Document } from 'bson';
import { fail } from '../../errors.js';
import { toDouble } from '../../values/numbers.js';
import { compileSort, sortNow } from '../../values/sort-by.js';
import { isDocument } from '../../values/types.js';
import { currentWork } from '../../values/work.js';
import { namedOperand } from '../operator.js';
import type { Evaluate, Scope } from '../scope.js';
import { ACCUMULATORS, type Accumulator } from './accumulators.js';

/** A compiled accumulator: what it takes of each document, and the making of one group's state. */
export interface CompiledAccumulator {
  readonly input: Evaluate;
  readonly make: (first: Document) => Accumulator;
}

/** Accumulators that MongoDB has since a later version than 5.0. */
const SINCE: Readonly<Record<string, number>> = {
  $top: 5.2,
  $topN: 5.2,
  $bottom: 5.2,
  $bottomN: 5.2,
  $firstN: 5.2,
  $lastN: 5.2,
  $minN: 5.2,
  $maxN: 5.2,
  $percentile: 7,
  $median: 7,
};
const SEVERAL = ['$firstN', '$lastN', '$minN', '$maxN'];
const RANKED: Readonly<Record<string, { readonly several: boolean; readonly last: boolean }>> = {
  $top: { several: false, last: false },
  $topN: { several: true, last: false },
  $bottom: { several: false, last: true },
  $bottomN: { several: true, last: true },
};

function countOf(value: unknown, name: string): number {
  const count = toDouble(value);
  if (!Number.isInteger(count) || count < 1)
    fail(5787908, `'n' must be greater than 0, found ${String(value)} for ${name}`);
  return count;
}

/** `$top` and its kin: documents in the order of `sortBy`, of which the first or last give their output. */
function compileRanked(name: string, operand: unknown, scope: Scope): CompiledAccumulator {
  const { several, last } = RANKED[name] as { several: boolean; last: boolean };
  const spec = namedOperand(name, operand, {
    required: several ? ['sortBy', 'output', 'n'] : ['sortBy', 'output'],
  });
  if (!isDocument(spec['sortBy'])) return fail(10065, `invalid parameter: expected an object (sortBy)`);
  const order = compileSort(spec['sortBy'], scope.compare);
  const output = scope.compile(spec['output']);
  const n = several ? scope.compile(spec['n']) : undefined;
  return {
    input: (root) => root,
    make(first) {
      const documents: Document[] = [];
      const count = n === undefined ? 1 : countOf(n(first), name);
      return {
        add: (document) => void documents.push(document as Document),
        result() {
          const sorted = sortNow(documents, order);
          const chosen = last ? sorted.slice(-count) : sorted.slice(0, count);
          const values = chosen.map((document) => output(document) ?? null);
          return several ? values : (values[0] ?? null);
        },
      };
    },
  };
}

function compileSeveral(name: string, operand: unknown, scope: Scope): CompiledAccumulator {
  const { input, n } = namedOperand(name, operand, { required: ['input', 'n'] });
  const count = scope.compile(n);
  const make = ACCUMULATORS[name] ?? fail('InternalError', `no accumulator ${name}`);
  return { input: scope.compile(input), make: (first) => make(scope, countOf(count(first), name)) };
}

function compilePercentile(name: string, operand: unknown, scope: Scope): CompiledAccumulator {
  const required = name === '$median' ? ['input', 'method'] : ['input', 'p', 'method'];
  const { input, p, method } = namedOperand(name, operand, { required });
  if (method !== 'approximate')
    fail('BadValue', "Currently only 'approximate' can be used as percentile 'method'.");
  const shares = p === undefined ? [] : (scope.compile(p)({}) as unknown[]).map(toDouble);
  const make = ACCUMULATORS[name] ?? fail('InternalError', `no accumulator ${name}`);
  return { input: scope.compile(input), make: () => make(scope, shares) };
}

/** Whether there is an accumulator of that name. */
export const isAccumulator = (name: string): boolean =>
  Object.hasOwn(ACCUMULATORS, name) || Object.hasOwn(RANKED, name);

/** Compiles `{$name: operand}` of `$group`. Throws 15952 for an unknown accumulator. */
export function compileAccumulator(spec: unknown, field: string, scope: Scope): CompiledAccumulator {
  if (!isDocument(spec)) return fail(40234, `The field '${field}' must be an accumulator object`);
  const names = Object.keys(spec);
  const [name] = names;
  if (names.length !== 1 || name === undefined) {
    return fail(40238, `The field '${field}' must specify one accumulator`);
  }
  const operand = spec[name];
  const newest = SINCE[name];
  if (newest !== undefined && currentWork().version < newest) fail(15952, `unknown group operator '${name}'`);
  if (Object.hasOwn(RANKED, name)) return compileRanked(name, operand, scope);
  if (SEVERAL.includes(name)) return compileSeveral(name, operand, scope);
  if (name === '$percentile' || name === '$median') return compilePercentile(name, operand, scope);
  const make = Object.hasOwn(ACCUMULATORS, name) ? ACCUMULATORS[name] : undefined;
  if (make === undefined) return fail(15952, `unknown group operator '${name}'`);
  if (Array.isArray(operand) && operand.length !== 1)
    fail(40237, `The ${name} accumulator is a unary operator`);
  const input = scope.compile(Array.isArray(operand) ? operand[0] : operand);
  return { input, make: () => make(scope) };
}

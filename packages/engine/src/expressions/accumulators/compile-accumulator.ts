import type { Document } from 'bson';
import { fail } from '../../errors.js';
import { toDouble } from '../../values/numbers.js';
import { compileSort, sortNow } from '../../values/sort-by.js';
import { isDocument } from '../../values/types.js';
import { currentWork } from '../../values/work.js';
import { anObject, checkArgument, countOf } from '../argument.js';
import { readMembers } from '../operator.js';
import type { Evaluate, Scope } from '../scope.js';
import { ACCUMULATORS, type Accumulator, type MakeAccumulator } from './accumulators.js';

/** A compiled accumulator: what it reads from each document, and how one group's state is created. */
export interface CompiledAccumulator {
  readonly input: Evaluate;
  readonly make: (first: Document) => Accumulator;
}

/** `$top` and related: which end of the sorted documents they take, and whether several of them. */
const SORTING: Readonly<Record<string, { readonly several: boolean; readonly last: boolean }>> = {
  $top: { several: false, last: false },
  $topN: { several: true, last: false },
  $bottom: { several: false, last: true },
  $bottomN: { several: true, last: true },
};
/** The version of MongoDB that introduced them. */
const SORTING_SINCE = 5.2;

const SORT_BY = anObject(10065, 'invalid parameter: expected an object (sortBy)');

/** `$top` and related: documents in the order of `sortBy`, of which the first or last give their output. */
function compileRanked(name: string, operand: unknown, scope: Scope): CompiledAccumulator {
  const { several, last } = SORTING[name] as { several: boolean; last: boolean };
  const spec = readMembers(name, operand, {
    required: several ? ['sortBy', 'output', 'n'] : ['sortBy', 'output'],
  });
  checkArgument(SORT_BY, spec['sortBy'], name);
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

/** Throws BadValue for an unknown method of computing percentiles. */
export function checkMethod(method: unknown): void {
  if (method !== 'approximate')
    fail('BadValue', "Currently only 'approximate' can be used as percentile 'method'.");
}

type Compile = (make: MakeAccumulator, name: string, operand: unknown, scope: Scope) => CompiledAccumulator;

/** How an accumulator is compiled, by what it takes besides the value of one expression. */
const COMPILE: Readonly<Record<'n' | 'shares' | 'nothing', Compile>> = {
  n(make, name, operand, scope) {
    const { input, n } = readMembers(name, operand, { required: ['input', 'n'] });
    const count = scope.compile(n);
    return { input: scope.compile(input), make: (first) => make(scope, countOf(count(first), name)) };
  },
  shares(make, name, operand, scope) {
    const required = name === '$median' ? ['input', 'method'] : ['input', 'p', 'method'];
    const { input, p, method } = readMembers(name, operand, { required });
    checkMethod(method);
    const shares = p === undefined ? [] : (scope.compile(p)({}) as unknown[]).map(toDouble);
    return { input: scope.compile(input), make: () => make(scope, shares) };
  },
  nothing(make, name, operand, scope) {
    if (Array.isArray(operand) && operand.length !== 1)
      fail(40237, `The ${name} accumulator is a unary operator`);
    const input = scope.compile(Array.isArray(operand) ? operand[0] : operand);
    return { input, make: () => make(scope) };
  },
};

/** Compiles `{$name: operand}` of `$group`. Throws 15952 for an unknown accumulator. */
export function compileAccumulator(spec: unknown, field: string, scope: Scope): CompiledAccumulator {
  if (!isDocument(spec)) return fail(40234, `The field '${field}' must be an accumulator object`);
  const names = Object.keys(spec);
  const [name] = names;
  if (names.length !== 1 || name === undefined) {
    return fail(40238, `The field '${field}' must specify one accumulator`);
  }
  const operand = spec[name];
  const rule = Object.hasOwn(ACCUMULATORS, name) ? ACCUMULATORS[name] : undefined;
  const sorts = Object.hasOwn(SORTING, name);
  const since = sorts ? SORTING_SINCE : (rule?.since ?? 0);
  if (currentWork().version >= since) {
    if (sorts) return compileRanked(name, operand, scope);
    if (rule !== undefined) return COMPILE[rule.takes ?? 'nothing'](rule.make, name, operand, scope);
  }
  return fail(15952, `unknown group operator '${name}'`);
}

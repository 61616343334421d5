/**
 * The second half of `query-injection`: in the aggregation, a caller's text is an operand. In an expression, where a
 * string that starts with `$` would be a path, it is wrapped in `$literal`.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import { compileRead } from '../../src/pipeline/compile.js';
import { planOf } from '../support/corpus/plan.js';
import { rounds } from '../support/rounds.js';

/** Found wherever it turns up, whether escaped for a regular expression or not. */
const mark = 'zzq';

const hostile = fc.constantFrom(
  `$${mark}`,
  `$$${mark}`,
  `$name.${mark}`,
  `{"$gt":"${mark}"}`,
  `.*${mark}`,
  `${mark}`,
);

const hop = fc.constantFrom(
  '[name]',
  '[owner][firstName]',
  '[similar][owner][firstName]',
  '[menu][name]',
  '[menu][ingredients][name]',
  '[menu][category][name]',
  '[location][city]',
  '[cover][name]',
);
const folded = ['$eqi', '$containsi', '$startsWithi', '$endsWithi', '$nei', '$notContainsi'];
const operator = fc.constantFrom(
  '$eq',
  '$ne',
  '$in',
  '$notIn',
  '$lt',
  '$gte',
  '$contains',
  '$endsWith',
  ...folded,
);
/** Attributes whose text form is computed by an expression. */
const asText = fc.tuple(
  fc.constantFrom('[stars]', '[price]', '[founded]', '[menu][price]', '[settings]'),
  fc.constantFrom(...folded),
);

const condition = fc
  .tuple(fc.oneof(fc.tuple(hop, operator), asText), hostile)
  .map(([[path, key], value]) => ({ path: `${path}[${key}]`, value: encodeURIComponent(value) }));

const parameter = fc.oneof(
  condition.map(({ path, value }) => `filters${path}=${value}`),
  condition.map(({ path, value }) => `filters[$not]${path}=${value}`),
  condition.map(({ path, value }) => `populate[similar][filters]${path}=${value}`),
  hostile.map((value) => `populate[categories][filters][name][$containsi]=${encodeURIComponent(value)}`),
  hostile.map((value) => `populate[menu][filters][name]=${encodeURIComponent(value)}`),
  hostile.map((value) => `_q=${encodeURIComponent(value)}`),
);

/** Below these, strings are expressions. */
const expressions = new Set([
  '$expr',
  '$project',
  '$set',
  '$addFields',
  '$group',
  '$replaceWith',
  '$replaceRoot',
  'let',
]);

/** Every string and key that contains the mark, with the keys above it. */
function* marked(value: unknown, above: readonly string[]): Generator<readonly string[]> {
  if (typeof value === 'string' && value.includes(mark)) yield above;
  if (value instanceof RegExp && value.source.includes(mark)) yield above;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    expect(key, 'a key').not.include(mark);
    yield* marked(member, [...above, key]);
  }
}

describe("a caller's text in the aggregation", () => {
  it('is never a key, and always a literal in expressions', () => {
    let found = 0;
    let literal = 0;
    fc.assert(
      fc.property(
        fc.uniqueArray(parameter, { minLength: 1, maxLength: 4, selector: (text) => text.split('=')[0] }),
        (parameters) => {
          const { stages, counted, semiJoins } = compileRead(planOf(parameters.join('&')));
          for (const above of marked([stages, counted, semiJoins.map((join) => join.stages)], [])) {
            found += 1;
            const expression = above.findLastIndex((key) => expressions.has(key));
            const match = above.lastIndexOf('$match');
            if (expression > match) {
              literal += 1;
              expect(above.slice(expression), above.join('.')).include('$literal');
            } else expect(match, above.join('.')).greaterThan(-1);
          }
        },
      ),
      { numRuns: rounds(200, 500) },
    );
    expect(found).greaterThan(500);
    expect(literal).greaterThan(50);
  });
});

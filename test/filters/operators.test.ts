import { Decimal128, Long } from 'bson';
import { expect } from 'chai';
import { isJson, testMatch, textMatch, textReading } from '../../src/pipeline/filters/operators.js';
import { valueTest } from '../../src/pipeline/filters/test-value.js';
import type { TestOperator } from '../../src/query/tests.js';
import type { ScalarAttribute, ScalarType } from '../../src/schema/types.js';
import { type TestStore, testStore } from '../support/engine.js';

const decimal = (text: string) => Decimal128.fromString(text);
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  string: ['a', 'A', 'ab', 'ba', '', 'a.c', 'a+', 'x\n', 'x', 'É', '50%_\\', null, undefined],
  integer: [-1, 0, 5, 15, null, undefined],
  biginteger: [Long.fromString('9007199254740993'), Long.fromString('9007199254740992'), null],
  decimal: [decimal('12.50'), decimal('0'), null],
  boolean: [true, false, null],
  datetime: [new Date(0), new Date('2024-01-15T10:30:00Z'), null],
  json: [[null], [], 12, { a: 'deep' }, 'text', null, undefined, ['text']],
};

/** Type, operator, values, negated, and the indexes of the matching values above. */
type Case = readonly [string, TestOperator, readonly unknown[], boolean, readonly number[]];
const cases: readonly Case[] = [
  ['string', 'eq', ['a'], false, [0]],
  ['string', 'eq', ['a'], true, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
  ['string', 'eqi', ['a'], false, [0, 1]],
  ['string', 'eqi', ['a'], true, [2, 3, 4, 5, 6, 7, 8, 9, 10]],
  ['string', 'eqi', ['x'], false, [8]],
  ['string', 'eqi', ['é'], false, [9]],
  ['string', 'in', ['a', ''], false, [0, 4]],
  ['string', 'in', ['a', ''], true, [1, 2, 3, 5, 6, 7, 8, 9, 10]],
  ['string', 'in', [], false, []],
  ['string', 'in', ['a', null], true, []],
  ['string', 'contains', ['a'], false, [0, 2, 3, 5, 6]],
  ['string', 'contains', ['a'], true, [1, 4, 7, 8, 9, 10]],
  ['string', 'contains', ['.'], false, [5]],
  ['string', 'contains', ['+'], false, [6]],
  ['string', 'contains', ['%_\\'], false, [10]],
  ['string', 'contains', [''], false, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
  ['string', 'contains', ['\0'], false, []],
  ['string', 'containsi', ['A'], false, [0, 1, 2, 3, 5, 6]],
  ['string', 'startsWith', ['a'], false, [0, 2, 5, 6]],
  ['string', 'startsWithi', ['A'], false, [0, 1, 2, 5, 6]],
  ['string', 'endsWith', ['x'], false, [8]],
  ['string', 'search', ['X_'], false, [7]],
  ['string', 'endsWith', ['a'], true, [1, 2, 4, 5, 6, 7, 8, 9, 10]],
  ['string', 'endsWithi', ['A'], false, [0, 1, 3]],
  ['string', 'lt', ['a'], false, [1, 4, 10]],
  ['string', 'between', ['a', 'ab'], false, [0, 2, 5, 6]],
  ['string', 'null', [], false, [11, 12]],
  ['string', 'null', [], true, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
  ['integer', 'eq', [5], false, [2]],
  ['integer', 'eq', [5], true, [0, 1, 3]],
  ['integer', 'lt', [5], false, [0, 1]],
  ['integer', 'lt', [5], true, [2, 3]],
  ['integer', 'lte', [5], false, [0, 1, 2]],
  ['integer', 'lte', [5], true, [3]],
  ['integer', 'gt', [5], false, [3]],
  ['integer', 'gt', [5], true, [0, 1, 2]],
  ['integer', 'gte', [5], false, [2, 3]],
  ['integer', 'gte', [5], true, [0, 1]],
  ['integer', 'between', [0, 5], false, [1, 2]],
  ['integer', 'between', [0, 5], true, [0, 3]],
  ['integer', 'containsi', ['5'], false, [2, 3]],
  ['integer', 'containsi', ['5'], true, [0, 1]],
  ['integer', 'startsWithi', ['1'], false, [3]],
  ['integer', 'endsWithi', ['1'], false, [0]],
  ['integer', 'eqi', ['5'], false, [2]],
  ['biginteger', 'eq', [Long.fromString('9007199254740993')], false, [0]],
  ['biginteger', 'gt', [Long.fromString('9007199254740992')], false, [0]],
  ['biginteger', 'endsWithi', ['993'], false, [0]],
  ['decimal', 'eq', [decimal('12.5')], false, [0]],
  ['decimal', 'gte', [decimal('0')], false, [0, 1]],
  ['decimal', 'eqi', ['12.5'], false, [0]],
  ['boolean', 'eq', [true], false, [0]],
  ['boolean', 'eq', [true], true, [1]],
  ['boolean', 'eqi', ['TRUE'], false, [0]],
  ['datetime', 'gt', [new Date(0)], false, [1]],
  ['datetime', 'containsi', ['2024-01'], false, [1]],
  ['json', 'null', [], false, [5, 6]],
  ['json', 'null', [], true, [0, 1, 2, 3, 4, 7]],
  ['json', 'eq', [12], false, [2]],
  ['json', 'eq', ['text'], false, [4]],
  ['json', 'eq', ['text'], true, [0, 1, 2, 3, 7]],
  ['json', 'in', [12, 'text'], false, [2, 4]],
  ['json', 'in', [12, 'text'], true, [0, 1, 3, 7]],
  ['json', 'in', [], false, []],
  ['json', 'in', [], true, [0, 1, 2, 3, 4, 5, 6, 7]],
];

describe('filter tests as match documents (rules B.2, B.3)', () => {
  let test: TestStore;
  before(async () => {
    test = await testStore();
    for (const [type, values] of Object.entries(VALUES)) {
      const rows = values.map((value, place) => (value === undefined ? { place } : { place, value }));
      await test.store.db.collection<object>(type).insertMany(rows);
    }
  });
  after(() => test.close());

  for (const [type, operator, values, negated, wanted] of cases) {
    it(`${type} ${negated ? 'not ' : ''}${operator} ${JSON.stringify(values)}`, async () => {
      const attribute = { kind: 'scalar', name: 'value', type: type as ScalarType } as ScalarAttribute;
      const operation = { operator, values, negated };
      const match =
        textReading(attribute, operation) === 'expression'
          ? textMatch('value', attribute, operation)
          : testMatch('value', operation, isJson(attribute));
      const found = await test.store.db.collection(type).find(match).sort({ place: 1 }).toArray();
      expect(found.map(({ place }) => place)).to.deep.equal(wanted);
    });
  }
});

/** Operator, values, negated, and the indexes of the matching `VALUES.json`. */
const ofJson: readonly (readonly [TestOperator, readonly unknown[], boolean, readonly number[]])[] = [
  ['eq', [['text']], false, [7]],
  ['eq', [['text']], true, [0, 1, 2, 3, 4]],
  ['eq', [{ a: 'deep' }], false, [3]],
  ['eq', [[]], false, [1]],
  ['in', [[null], 12], false, [0, 2]],
  ['gt', [12], false, [0, 1, 3, 7]],
  ['containsi', ['TEXT'], false, [4, 7]],
];

describe('filter tests of JSON, by its text (rules B.4)', () => {
  for (const [operator, values, negated, wanted] of ofJson)
    it(`${negated ? 'not ' : ''}${operator} ${JSON.stringify(values)}`, () => {
      const operation = { operator, values, negated };
      const attribute = { kind: 'scalar', name: 'value', type: 'json' } as ScalarAttribute;
      expect(textReading(attribute, operation)).to.equal('process');
      const passes = valueTest(attribute, operation);
      const found = (VALUES['json'] ?? []).flatMap((value, place) => (passes(value) ? [place] : []));
      expect(found).to.deep.equal(wanted);
    });
});

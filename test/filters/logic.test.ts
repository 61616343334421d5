/** Random filters over random content: the planned condition is true where the filters are according to rules B. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { Condition, Test } from '../../src/query/read-plan.js';
import { planOf } from '../support/corpus/plan.js';
import { type Filters, matches, type Row, type Scalar } from '../support/evaluate.js';
import { rounds } from '../support/rounds.js';

const words = fc.constantFrom('a', 'b', 'A', 'ab', '');
const numbers = fc.constantFrom(0, 1, 2);
const word = fc.option(words);
const number = fc.option(numbers);

const person = (more: Record<string, fc.Arbitrary<unknown>> = {}) =>
  fc.record({ id: numbers, firstName: word, lastName: word, ...more });
const category = (more: Record<string, fc.Arbitrary<unknown>> = {}) =>
  fc.record({ id: numbers, name: word, position: number, ...more });
const dish = fc.record({
  id: numbers,
  name: word,
  ingredients: fc.array(fc.record({ id: numbers, name: word, grams: number }), { maxLength: 2 }),
});

const entry = fc.record({
  id: numbers,
  name: word,
  stars: number,
  owner: fc.option(person({ bestFriend: fc.option(person()) })),
  categories: fc.array(category({ parent: fc.option(category()) }), { maxLength: 3 }),
  location: fc.option(fc.record({ id: numbers, city: word })),
  menu: fc.array(dish, { maxLength: 2 }),
}) as fc.Arbitrary<Row>;

const operand = (value: fc.Arbitrary<string | number>) => {
  const one = fc.oneof({ weight: 8, arbitrary: value }, { weight: 1, arbitrary: fc.constant(null) });
  const many = fc.array(one, { minLength: 1, maxLength: 3 });
  return fc.oneof(
    fc.record({ $eq: fc.oneof(one, many) }),
    fc.record({ $ne: fc.oneof(one, many) }),
    fc.record({ $in: fc.array(one, { maxLength: 3 }) }),
    fc.record({ $notIn: fc.array(one, { maxLength: 3 }) }),
    fc.record({ $lt: one, $gte: one }, { requiredKeys: [] }),
    fc.record({ $null: fc.boolean() }),
  );
};
const textOperand = fc.oneof(
  operand(words),
  fc.record({ $contains: words, $notContainsi: words }, { requiredKeys: [] }),
);
const negatable = (test: fc.Arbitrary<object>) =>
  fc.oneof({ weight: 4, arbitrary: test }, { weight: 1, arbitrary: test.map(($not) => ({ $not })) });
const onText = negatable(textOperand);
const onNumber = negatable(operand(numbers));

/** An object of attributes and groups; `attributes` may contain joins. */
const filtersOf = (attributes: Record<string, fc.Arbitrary<object>>): fc.Arbitrary<object> =>
  fc.letrec<{ filters: object }>((tie) => ({
    filters: fc.oneof(
      { maxDepth: 2 },
      fc.record(attributes, { requiredKeys: [] }),
      fc.array(tie('filters'), { minLength: 1, maxLength: 3 }).map(($and) => ({ $and })),
      fc.array(tie('filters'), { minLength: 1, maxLength: 3 }).map(($or) => ({ $or })),
      tie('filters').map(($not) => ({ $not })),
    ),
  })).filters;

/** Inside a relation, `$not` is not allowed, and a group only alone (rules B.6). */
const joinOf = (attributes: Record<string, fc.Arbitrary<object>>): fc.Arbitrary<object> => {
  const plain = fc.record(attributes, { requiredKeys: [] });
  return fc.oneof(
    plain,
    fc.array(filtersOf(attributes), { minLength: 1, maxLength: 2 }).map(($and) => ({ $and })),
    fc.array(filtersOf(attributes), { minLength: 1, maxLength: 2 }).map(($or) => ({ $or })),
  );
};

const categoryFilter = { name: onText, position: onNumber };
const anyFilters = filtersOf({
  name: onText,
  stars: onNumber,
  owner: joinOf({
    firstName: onText,
    lastName: onText,
    bestFriend: joinOf({ firstName: onText, lastName: onText }),
  }),
  categories: joinOf({ ...categoryFilter, parent: joinOf(categoryFilter) }),
  location: joinOf({ city: onText }),
  menu: joinOf({ name: onText, ingredients: joinOf({ name: onText, grams: onNumber }) }),
}) as fc.Arbitrary<Filters>;

/** Evaluates a planned condition, as defined in read-plan.ts. */
function holds(condition: Condition, row: Row): boolean {
  switch (condition.kind) {
    case 'always':
      return true;
    case 'never':
      return false;
    case 'and':
      return condition.of.every((part) => holds(part, row));
    case 'or':
      return condition.of.some((part) => holds(part, row));
    case 'some': {
      const stored = row[condition.via.attribute.name] ?? [];
      const rows = (Array.isArray(stored) ? stored : [stored]) as readonly Row[];
      return (rows.length > 0 ? rows : [{}]).some((one) => holds(condition.where, one));
    }
    case 'test':
      return passes(condition.test, (row[condition.attribute.name] ?? null) as Scalar);
  }
}

function passes({ operator, values, negated }: Test, stored: Scalar): boolean {
  if (operator === 'null') return (stored === null) !== negated;
  if (stored === null) return false;
  return holdsFor(operator, values, stored) !== negated;
}

function holdsFor(
  operator: Test['operator'],
  values: readonly unknown[],
  stored: string | number | boolean,
): boolean {
  const [value] = values as readonly (string | number)[];
  switch (operator) {
    case 'eq':
      return stored === value;
    case 'in':
      return values.includes(stored);
    case 'lt':
      return value !== undefined && stored < value;
    case 'gte':
      return value !== undefined && stored >= value;
    case 'contains':
      return String(stored).includes(String(value));
    case 'containsi':
      return String(stored).toLowerCase().includes(String(value).toLowerCase());
    default:
      throw new TypeError(operator);
  }
}

const RUNS = rounds(200, 600);

describe('a planned condition', () => {
  it('is true exactly where rules B require it', function () {
    this.timeout(180_000);
    const counts = { true: 0, false: 0 };
    fc.assert(
      fc.property(anyFilters, fc.array(entry, { minLength: 3, maxLength: 6 }), (filters, rows) => {
        const { filter } = planOf({ filters });
        for (const row of rows) {
          const expected = matches(filters, row);
          counts[`${expected}`] += 1;
          expect(holds(filter, row), JSON.stringify(row)).equal(expected);
        }
      }),
      { numRuns: RUNS },
    );
    expect(Math.min(counts.true, counts.false), JSON.stringify(counts)).greaterThan(RUNS / 2);
  });
});

/**
 * Nothing that a caller writes becomes a key, an operator or a path: a plan consists of models and attributes of the
 * schema, operators of one table, and cast values; the values are in `test.values` and nowhere else.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import { OPERATORS } from '../../src/query/operators.js';
import type { Condition, ReadPlan, SelectedFields, SortKey } from '../../src/query/read-plan.js';
import type { Attribute, Model } from '../../src/schema/types.js';
import { hostileText, rightQueryText } from '../support/arbitrary-query.js';
import { planOf } from '../support/corpus/plan.js';
import { corpusSchema } from '../support/corpus/schema.js';

const models = new Set<Model>([...corpusSchema.contentTypes.values(), ...corpusSchema.components.values()]);
const attributes = new Set<Attribute>([...models].flatMap((model) => [...model.attributes.values()]));
const tests = new Set<string | undefined>(
  ['$eq', '$eqi', '$in', '$lt', '$lte', '$gt', '$gte', '$between', '$contains', '$containsi', '$startsWith']
    .concat(['$startsWithi', '$endsWith', '$endsWithi', '$null'])
    .map((operator) => OPERATORS.get(operator)?.test),
).add('search');

const fromSchema = (attribute: Attribute, model?: Model): void => {
  expect(attributes.has(attribute), attribute.name).equal(true);
  if (model) expect(models.has(model), model.uid).equal(true);
};

/** Walks a whole plan; fails on anything that is not from the schema or the table. */
function checkPlan(plan: ReadPlan): void {
  checkCondition(plan.filter);
  plan.sort.forEach(checkSort);
  checkSelection(plan.selection);
}

function checkCondition(condition: Condition): void {
  if ('of' in condition) condition.of.forEach(checkCondition);
  if (condition.kind === 'some') {
    fromSchema(condition.via.attribute, condition.via.target);
    checkCondition(condition.where);
  }
  if (condition.kind !== 'test') return;
  fromSchema(condition.attribute);
  expect(tests.has(condition.test.operator), condition.test.operator).equal(true);
  for (const value of condition.test.values)
    expect(
      typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype,
    ).equal(false);
}

function checkSort({ via, attribute }: SortKey): void {
  fromSchema(attribute);
  for (const hop of via) fromSchema(hop.attribute, hop.target);
}

function checkSelection({ model, scalars, components, zones, relations }: SelectedFields): void {
  expect(models.has(model)).equal(true);
  for (const scalar of scalars) {
    fromSchema(scalar);
    expect(scalar.private || scalar.type === 'password', scalar.name).equal(false);
  }
  for (const { attribute, selection, filter, sort } of components) {
    fromSchema(attribute);
    checkSelection(selection);
    if (filter) checkCondition(filter);
    sort?.forEach(checkSort);
  }
  for (const { attribute, on } of zones) {
    fromSchema(attribute);
    for (const [uid, selection] of on) {
      expect(corpusSchema.components.has(uid)).equal(true);
      checkSelection(selection);
    }
  }
  for (const { attribute, targets } of relations) {
    fromSchema(attribute);
    for (const { target, filter, sort, selection } of targets) {
      expect(models.has(target)).equal(true);
      checkCondition(filter);
      sort?.forEach(checkSort);
      checkSelection(selection);
    }
  }
}

describe("a caller's text never becomes a key, an operator or a path", () => {
  it('in a plan', () => {
    let withValues = 0;
    fc.assert(
      fc.property(rightQueryText, (text) => {
        const plan = planOf(text);
        checkPlan(plan);
        if (plan.filter.kind !== 'always') withValues += 1;
      }),
      { numRuns: 500 },
    );
    expect(withValues).greaterThan(250);
  });

  const places: readonly ((name: string) => string)[] = [
    (name) => `filters[${name}]=1`,
    (name) => `filters[name][${name}]=1`,
    (name) => `filters[owner][${name}]=1`,
    (name) => `filters[$or][0][${name}]=1`,
    (name) => `filters[settings][${name}]=1`,
    (name) => `sort=${name}`,
    (name) => `sort[${name}]=asc`,
    (name) => `fields=${name}`,
    (name) => `populate=${name}`,
    (name) => `populate[${name}]=true`,
    (name) => `populate[owner][fields]=${name}`,
    (name) => `populate[owner][filters][${name}]=1`,
    (name) => `populate[owner][sort]=${name}`,
    (name) => `populate[blocks][on][${name}]=true`,
  ];
  // Dropped by the query string parser, as in Strapi, unless a filter would vanish.
  const dropped = (place: string, name: string): boolean =>
    name === '__proto__' || (name in Object.prototype && place.includes('[') && !place.includes('filters'));
  it('unknown names are refused everywhere', () => {
    fc.assert(
      fc.property(fc.constantFrom(...places), hostileText, (place, name) => {
        if (dropped(place(''), name)) return;
        expect(() => planOf(place(encodeURIComponent(name))))
          .throw()
          .that.includes({ status: 400 });
      }),
      { numRuns: 500 },
    );
  });

  it('objects in a Document Service call remain values', () =>
    expect(() => planOf({ filters: { name: { $eq: { $gt: '' } } } })).throw(
      'Expected a value, not an object',
    ));

  it('nothing is inherited from prototypes', () => {
    planOf('__proto__[polluted]=1&x[constructor][prototype][polluted]=1&fields=id');
    expect('polluted' in {}).equal(false);
  });

  it('inherited names are not keys of parameters other than filters', () => {
    for (const text of [
      'populate[constructor]=true',
      'sort[toString]=asc',
      'valueOf=1',
      'sort[0][constructor]=asc',
      'fields[constructor]=a',
    ])
      expect(planOf(`${text}&pagination[pageSize]=3`), text).deep.equal(planOf('pagination[pageSize]=3'));
    expect(() => planOf('populate[owner][filters][constructor]=1')).throw('Invalid key constructor');
  });

  it('a filter named __proto__ is refused, not dropped', () => {
    for (const place of [
      'filters[__proto__]=1',
      'filters[owner][__proto__][x]=1',
      'filters[%5F_proto__]=1',
      'populate[owner][filters][__proto__]=1',
    ])
      expect(() => planOf(place), place)
        .throw('Invalid key __proto__')
        .that.includes({ status: 400 });
  });
});

import { expect } from 'chai';
import { testsValue } from '../../src/pipeline/filters/test-value.js';
import type { Condition } from '../../src/query/read-plan.js';
import { planOf } from '../support/corpus/plan.js';

/** The attributes that a term is searched in. */
const searched = (condition: Condition): readonly string[] =>
  condition.kind === 'or'
    ? condition.of.flatMap(searched)
    : condition.kind === 'test'
      ? [condition.attribute.name]
      : [];

const found = (term: string, name: string): boolean => {
  const { filter } = planOf(`_q=${encodeURIComponent(term)}`);
  const parts = filter.kind === 'or' ? filter.of : [];
  const part = parts.find((each) => each.kind === 'test' && each.attribute.name === 'name');
  if (part?.kind !== 'test') throw new TypeError('name is not searched');
  return testsValue(part.attribute, part.test, name);
};

describe('query/plan/search (rules A.14)', () => {
  const texts = ['documentId', 'name', 'slug', 'description', 'notes', 'cuisine', 'email'];
  it('searches all strings that the caller may read', () =>
    expect(searched(planOf('_q=a').filter)).to.have.members(texts));
  it('also searches numbers if the term is one', () =>
    expect(searched(planOf('_q=12.5').filter)).to.have.members([
      ...texts,
      'id',
      'stars',
      'price',
      'rating',
      'visits',
    ]));
  it('searches nothing without a term', () => expect(planOf('_q=').filter).to.deep.equal({ kind: 'always' }));

  const cases: readonly (readonly [string, string, boolean])[] = [
    ['BIS', 'a bistro', true],
    ['%', 'a bistro', false],
    ['50%', '50% off', true],
    ['.*', 'a bistro', false],
    ['_', '', false],
    ['_', '\n', true],
    ['a_b', 'A-B', true],
    ['a_b', 'ab', false],
    ['a__b', 'a-b', false],
    ['a__b', 'axxb', true],
  ];
  for (const [term, name, expected] of cases)
    it(`${term} ${expected ? 'is' : 'is not'} in ${JSON.stringify(name)}`, () =>
      expect(found(term, name)).to.equal(expected));
});

import { expect } from 'chai';
import { checkCost, checkParameterCount, parseQueryText } from '../../src/query/parse.js';
import { defaultLimits } from '../../src/query/settings.js';
import { planOf } from '../support/corpus/plan.js';

/** `{ a: { a: … } }`, this many levels deep. */
function nested(levels: number): object {
  let value: object = {};
  for (let level = 1; level < levels; level += 1) value = { a: value };
  return value;
}

const limits = { ...defaultLimits, maxDepth: 5, maxNodes: 20, maxBreadth: 4, parameterLimit: 3 };

describe('query/cost', () => {
  describe('at the limit', () => {
    it('depth', () => {
      expect(() => checkCost(nested(5), limits)).not.throw();
      expect(() => checkCost(nested(6), limits))
        .throw('too many levels')
        .that.includes({ status: 400 });
    });
    it('breadth', () => {
      expect(() => checkCost([1, 2, 3, 4], limits)).not.throw();
      expect(() => checkCost([1, 2, 3, 4, 5], limits)).throw('too many members');
    });
    it('nodes', () => {
      const row = [1, 2, 3];
      expect(() => checkCost([row, row, row, row], limits)).not.throw();
      expect(() =>
        checkCost(
          [
            [...row, 4],
            [...row, 4],
            [...row, 4],
            [...row, 4],
          ],
          limits,
        ),
      ).throw('too many values');
    });
    it('parameters', () => {
      expect(() => checkParameterCount('a&b&c', limits)).not.throw();
      expect(() => checkParameterCount('a&b&c&d', limits)).throw('too many parameters');
      expect(() => parseQueryText(Array(1001).fill('a=1').join('&'))).throw('too many parameters');
    });
    it('levels of populate', () => {
      const query = 'populate[owner][populate][bestFriend][populate][bestFriend]=true';
      const limited = (maxPopulateDepth: number) => ({
        settings: { limits: { ...defaultLimits, maxPopulateDepth } },
      });
      expect(() => planOf(query, limited(3))).not.throw();
      expect(() => planOf(query, limited(2))).throw('too many levels');
      expect(() => planOf('populate=owner.bestFriend.bestFriend', limited(2))).throw('too many levels');
    });
    it('joins of populate, filters and sort', () => {
      const limited = (maxJoins: number) => ({ settings: { limits: { ...defaultLimits, maxJoins } } });
      expect(() => planOf('populate=owner,chef', limited(2))).not.throw();
      for (const third of ['populate=similar', 'populate=blocks', 'filters[chef][name]=x', 'sort=chef.name'])
        expect(() => planOf(`populate=owner,chef&${third}`, limited(2)), third).throw('too many attributes');
    });
    it('values of a list', () => {
      const list = (count: number) => Array.from({ length: count }, (_, i) => `filters[id][$in][${i}]=${i}`);
      const text = (count: number) => list(count).join('&');
      expect(() => planOf(text(1000))).not.throw();
      expect(() => planOf({ filters: { id: { $in: Array(1001).fill(1) } } })).throw('too many');
    });
  });

  describe('strings that a server would reject as a pattern', () => {
    const places: readonly (readonly [string, number])[] = [
      ['filters[name][$contains]', 8000],
      ['filters[stars][$eqi]', 8000],
      ['filters[owner][firstName][$endsWithi]', 8000],
      ['_q', 4000],
    ];
    for (const [key, most] of places)
      it(`${key}: ${most} characters`, () => {
        expect(() => planOf(`${key}=${'('.repeat(most)}`)).not.throw();
        expect(() => planOf(`${key}=${'('.repeat(most + 1)}`))
          .throw(`at most ${most} characters`)
          .that.includes({ status: 400 });
      });
  });

  it('an object that contains itself stops at the maximum depth', () => {
    const loop: { self?: unknown } = {};
    loop.self = loop;
    expect(() => checkCost(loop, defaultLimits)).throw('too many levels');
  });
});

import { expect } from 'chai';
import { deepMerge } from '../../src/config/merge.js';

const date = new Date(0);
const cases: readonly (readonly [unknown, unknown, unknown])[] = [
  [{ a: 1 }, { b: 2 }, { a: 1, b: 2 }],
  [{ a: { b: 1, c: 2 } }, { a: { b: 3 } }, { a: { b: 3, c: 2 } }],
  [{ a: [1, 2] }, { a: [3] }, { a: [3] }],
  [{ a: 1 }, { a: undefined }, { a: 1 }],
  [{ a: 1 }, { a: null }, { a: null }],
  [{ a: { b: 1 } }, { a: date }, { a: date }],
  [{ a: 1 }, undefined, { a: 1 }],
  [{ a: 1 }, 5, 5],
];

describe('config/merge', () => {
  for (const [base, over, expected] of cases)
    it(`${JSON.stringify(over)} over ${JSON.stringify(base)}`, () => {
      expect(deepMerge(base, over)).to.eql(expected);
    });

  it('ignores __proto__', () => {
    const merged = deepMerge({}, JSON.parse('{"__proto__":{"x":1},"constructor":{"y":2}}'));
    expect(merged).not.to.have.property('x');
    expect(Object.getPrototypeOf(merged)).to.equal(Object.prototype);
    expect(Object).not.to.have.property('y');
  });
});

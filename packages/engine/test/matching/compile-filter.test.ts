import { expect } from 'chai';
import { compileFilter } from '../../src/matching/index.js';

describe('embedded/matching: compileFilter', () => {
  it('compares strings by collation', () => {
    const collation = { locale: 'en', strength: 2 };
    const rows: readonly [filter: object, document: object, matches: boolean][] = [
      [{ a: 'ABC' }, { a: 'abc' }, true],
      [{ a: { $in: ['ABC'] } }, { a: ['x', 'abc'] }, true],
      [{ a: { $ne: 'ABC' } }, { a: 'abc' }, false],
      [{ a: { $gt: 'B' } }, { a: 'c' }, true],
      [{ a: 'e' }, { a: 'é' }, false],
      [{ a: { b: 'X' } }, { a: { b: 'x' } }, true],
    ];
    for (const [filter, document, matches] of rows) {
      expect(compileFilter(filter, { collation })(document), JSON.stringify(filter)).to.equal(matches);
    }
  });

  it('reads the variables of let in $expr', () => {
    const test = compileFilter({ $expr: { $eq: ['$a', '$$x'] } }, { variables: { x: 3 } });
    expect([test({ a: 3 }), test({ a: 4 })]).to.deep.equal([true, false]);
  });
});

import { expect } from 'chai';
import { aggregate } from '../differential/expected.js';
import { COLLECTIONS, ITEMS } from '../tables/stage-collections.js';

describe('embedded/aggregation: stages', () => {
  it('leaves its source documents unchanged', () => {
    const before = JSON.stringify(ITEMS);
    aggregate(COLLECTIONS, 'items', [{ $set: { 'p.r': 1 } }, { $unset: 'p.q' }, { $unwind: '$tags' }]);
    expect(JSON.stringify(ITEMS)).to.equal(before);
  });

  it('sorts [] below null, and an array by its smallest or largest element', () => {
    const all = [{ _id: 1 }, { _id: 2, a: [] }, { _id: 3, a: [5, 1] }, { _id: 4, a: 3 }, { _id: 5, a: null }];
    const ids = (direction: number): unknown[] =>
      aggregate({ all }, 'all', [{ $sort: { a: direction, _id: 1 } }]).map(({ _id }) => _id);
    expect(ids(1)).to.deep.equal([2, 1, 5, 3, 4]);
    expect(ids(-1)).to.deep.equal([3, 4, 1, 5, 2]);
  });
});

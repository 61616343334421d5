import { expect } from 'chai';
import fc from 'fast-check';
import { placeInOrder } from '../../src/documents/relations/order.js';

const place = (wanted: string, known: Record<string, number>, moved = '') => {
  let next = 100;
  const numbers = new Map(Object.entries(known));
  const changed = placeInOrder([...wanted], numbers, new Set(moved), () => next++);
  return { changed: Object.fromEntries(changed), all: new Map([...numbers, ...changed]) };
};

describe('placeInOrder', () => {
  const known = { a: 1, b: 2, c: 3 };
  const cases: [title: string, wanted: string, moved: string, changed: Record<string, number>][] = [
    ['nothing moved', 'abc', '', {}],
    ['new at the end', 'abcx', 'x', { x: 100 }],
    ['new at the start', 'xabc', 'x', { x: 0 }],
    ['new between two', 'axbc', 'x', { x: 1.5 }],
    ['two between two', 'axybc', 'xy', { x: 1.5, y: 1.75 }],
    ['moved to the end', 'bca', 'a', { a: 100 }],
    ['moved forward', 'acb', 'c', { c: 1.5 }],
    ['a whole list, in another order', 'cab', '', { a: 100, b: 101 }],
    ['a shorter list', 'ac', '', {}],
  ];
  for (const [title, wanted, moved, changed] of cases)
    it(title, () => expect(place(wanted, known, moved).changed).to.deep.equal(changed));

  it('renumbers if there is no room between two floats', () => {
    const close = { a: 1, b: 1 + Number.EPSILON };
    const { all } = place('axb', close, 'x');
    expect((all.get('a') ?? 0) < (all.get('x') ?? 0)).to.equal(true);
    expect((all.get('x') ?? 0) < (all.get('b') ?? 0)).to.equal(true);
  });

  it('always sorts in the requested order', () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray([...'abcdefgh']),
        fc.subarray([...'abcdefgh']),
        fc.array(fc.double({ min: 0, max: 50, noNaN: true }), { minLength: 8, maxLength: 8 }),
        (wanted, moved, numbers) => {
          const numbered = Object.fromEntries([...'abcdefgh'].map((key, i) => [key, numbers[i] ?? 0]));
          const { all } = place(wanted.join(''), numbered, moved.join(''));
          const sorted = [...wanted].sort((a, b) => (all.get(a) ?? 0) - (all.get(b) ?? 0));
          expect(sorted).to.deep.equal(wanted);
        },
      ),
    );
  });
});

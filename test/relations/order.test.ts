import { expect } from 'chai';
import {
  type ConnectPosition,
  type ConnectTarget,
  connectInOrder,
} from '../../src/documents/relations/order.js';

const ids: Record<string, number> = { a: 1, b: 2, c: 3, d: 4, e: 5, x: 9, y: 8 };
const at = (text: string): ConnectPosition => {
  const [where = 'end', anchor] = text.split(' ').filter(Boolean);
  return where === 'before' || where === 'after'
    ? { at: where, anchor: anchor ?? '', anchorId: ids[anchor ?? ''] ?? 0, given: { [where]: anchor } }
    : { at: where as 'start' | 'end', given: text === '' ? null : { [where]: true } };
};
/** `x`, `x start`, `x before a` */
const connections = (...texts: string[]): ConnectTarget[] =>
  texts.map((text) => {
    const [key = '', ...place] = text.split(' ');
    return { key, id: ids[key] ?? 0, place: at(place.join(' ')) };
  });

describe('connectInOrder', () => {
  const cases: [title: string, current: string, connect: string[], wanted: string][] = [
    ['nothing', 'abc', [], 'abc'],
    ['without a position: at the end', 'abc', ['x'], 'abcx'],
    ['several keep their order', 'abc', ['y', 'x'], 'abcyx'],
    ['start', 'abc', ['x start'], 'xabc'],
    ['end', 'abc', ['x end'], 'abcx'],
    ['before', 'abc', ['x before b'], 'axbc'],
    ['after', 'abc', ['x after b'], 'abxc'],
    ['before the first', 'abc', ['x before a'], 'xabc'],
    ['after the last', 'abc', ['x after c'], 'abcx'],
    ['already connected, no position: to the end', 'abc', ['a'], 'bca'],
    ['already connected, moved', 'abcd', ['d before b'], 'adbc'],
    ['an anchor among the new ones', 'ab', ['x before a', 'y after x'], 'xyab'],
    ['an anchor that comes later', 'ab', ['y after x', 'x before a'], 'xyab'],
    ['a chain of anchors, in reverse', '', ['c after b', 'b after a', 'a'], 'abc'],
    ['the same twice', 'ab', ['x', 'x'], 'abx'],
    ['the same twice at one position', 'ab', ['x before b', 'x before b'], 'axb'],
    ['the same twice at the end', 'ab', ['x end', 'x end'], 'abx'],
    ['two before one', 'ab', ['x before b', 'y before b'], 'axyb'],
    ['two after one', 'ab', ['x after a', 'y after a'], 'ayxb'],
  ];
  for (const [title, current, connect, wanted] of cases)
    it(title, () => {
      expect(connectInOrder([...current], connections(...connect), true).join('')).to.equal(wanted);
    });

  it('refuses an anchor that is not connected', () => {
    expect(() => connectInOrder(['a'], connections('x before b'), true)).to.throw(
      'There was a problem connecting relation with id 9 at position {"before":2}. The relation with id 2 needs to be connected first.',
    );
  });
  it('reports the position as it was given', () => {
    const given = { before: 'b', locale: 'fr', status: 'draft' };
    const place: ConnectPosition = { at: 'before', anchor: 'b', anchorId: 2, given };
    expect(() => connectInOrder(['a'], [{ key: 'x', id: 9, place }], true)).to.throw(
      'There was a problem connecting relation with id 9 at position {"before":2,"locale":"fr","status":"draft"}. The relation with id 2 needs to be connected first.',
    );
  });
  it('appends if not strict', () => {
    expect(connectInOrder(['a'], connections('x before b', 'y'), false)).to.deep.equal(['a', 'x', 'y']);
  });
  it('refuses a cycle', () => {
    for (const circle of [
      ['x before y', 'y after x'],
      ['x after x'],
      ['a before a'],
      ['x after y', 'y after d', 'd before x'],
    ])
      expect(() => connectInOrder(['a'], connections(...circle), true)).to.throw(
        /^A circular reference was found in the connect array/,
      );
  });
  it('refuses one target at two positions, though they come to the same', () => {
    const twice = 'The relation with id 9 is already connected. You cannot connect the same relation twice.';
    for (const again of ['x start', 'x end'])
      expect(() => connectInOrder(['a'], connections('x', again), true)).to.throw(twice);
    const behind = (given: object): ConnectTarget => ({
      key: 'x',
      id: 9,
      place: { at: 'after', anchor: 'a', anchorId: 1, given: { after: 'a', ...given } },
    });
    expect(connectInOrder(['a'], [behind({}), behind({ after: 1 })], true)).to.eql(['a', 'x']);
    expect(() => connectInOrder(['a'], [behind({}), behind({ locale: 'en' })], true)).to.throw(twice);
  });
});

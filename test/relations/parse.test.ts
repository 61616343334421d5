import { expect } from 'chai';
import { parseRelation, targetsOf } from '../../src/documents/plan/relation-input.js';

const short = (value: unknown): unknown => {
  const input = parseRelation(value);
  const name = (links: readonly { documentId: string | null; id: number | null }[]) =>
    links.map((link) => link.documentId ?? link.id);
  if (input.kind === 'none' || input.kind === 'invalid') return input.kind;
  if (input.kind === 'set') return { set: name(input.links) };
  return { connect: name(input.connect), disconnect: name(input.disconnect), strict: input.strict };
};

describe('parseRelation (rules F.1)', () => {
  const cases: [value: unknown, wanted: unknown][] = [
    ['doc', { set: ['doc'] }],
    [7, { set: [7] }],
    ['7', { set: [7] }],
    [{ id: 7 }, { set: [7] }],
    [{ id: '7' }, { set: [7] }],
    [{ id: 'doc' }, { set: ['doc'] }],
    [{ documentId: 'doc' }, { set: ['doc'] }],
    [{ documentId: '7', id: 3 }, { set: ['7'] }],
    [['a', 2, { id: 3 }, { documentId: 'd' }], { set: ['a', 2, 3, 'd'] }],
    [{ set: ['a'] }, { set: ['a'] }],
    [{ set: 'a' }, { set: ['a'] }],
    [{ set: ['a'], connect: ['b'] }, { set: ['a'] }],
    [
      { connect: ['a'], disconnect: [2] },
      { connect: ['a'], disconnect: [2], strict: true },
    ],
    [{ connect: 'a' }, { connect: ['a'], disconnect: [], strict: true }],
    [
      { connect: ['a'], options: { strict: false } },
      { connect: ['a'], disconnect: [], strict: false },
    ],
    [null, { set: [] }],
    ['', 'invalid'],
    [false, { set: [0] }],
    [[], { set: [] }],
    [[null], { set: [] }],
    [[[], false, 'a'], { set: ['a'] }],
    [{ disconnect: [[]] }, { connect: [], disconnect: [], strict: true }],
    [[{ documentId: 7 }, { documentId: true }], { set: ['7', 'true'] }],
    [{ documentId: 0, id: 3 }, { set: [3] }],
    [{ set: [] }, { set: [] }],
    [{}, 'none'],
    [{ set: null }, 'none'],
    [true, { set: [0] }],
    [undefined, 'none'],
    [{ foo: 1 }, 'invalid'],
    [{ locale: 'fr' }, 'invalid'],
    [{ id: null }, 'invalid'],
    [{ documentId: '' }, 'invalid'],
    [['a', {}], 'invalid'],
    [['a', true], 'invalid'],
    [[''], 'invalid'],
    [{ set: [{}] }, 'invalid'],
    [{ set: { locale: 'fr' } }, 'invalid'],
    [{ connect: [{ position: { start: true } }] }, 'invalid'],
    [{ connect: ['a'], disconnect: [{}] }, 'invalid'],
    [{ options: { strict: false } }, 'none'],
    [{ connect: null }, 'none'],
  ];
  for (const [value, wanted] of cases)
    it(JSON.stringify(value) ?? 'undefined', () => expect(short(value)).to.deep.equal(wanted));

  it('parses positions and their anchors', () => {
    const input = parseRelation({
      connect: [
        { documentId: 'a', position: { before: 'b' } },
        { id: 1, position: { after: 2 } },
        { id: 3, position: { start: true } },
      ],
    });
    if (input.kind !== 'change') throw new Error('no change');
    expect(input.connect.map(({ position }) => position)).to.deep.equal([
      { at: 'before', anchor: { documentId: 'b', id: null, locale: null }, given: { before: 'b' } },
      { at: 'after', anchor: { documentId: null, id: 2, locale: null }, given: { after: 2 } },
      { at: 'start', given: { start: true } },
    ]);
    expect(targetsOf(input).map(({ documentId, id, linked }) => [documentId ?? id, linked])).to.deep.equal([
      ['a', true],
      ['b', false],
      [1, true],
      [2, false],
      [3, true],
    ]);
  });

  it('names all that must exist: what is disconnected first, and also beside what identifies nothing', () => {
    const named = (value: unknown) => targetsOf(parseRelation(value)).map(({ documentId }) => documentId);
    expect(named({ connect: ['a'], disconnect: ['b'] })).to.deep.equal(['b', 'a']);
    expect(named({ connect: ['a', true], disconnect: ['b', {}] })).to.deep.equal(['b', 'a']);
    expect(named(['a', {}])).to.deep.equal(['a']);
    expect(named({ set: ['a'], connect: ['b'] }), 'set wins').to.deep.equal(['a', 'b']);
  });

  it('an anchor without a locale has the one of its position, or else of the link', () => {
    const localeOf = (locale: object, position: object): string | null | undefined => {
      const targets = targetsOf(parseRelation({ connect: [{ documentId: 'a', position, ...locale }] }));
      return targets.find(({ documentId }) => documentId === 'b')?.locale;
    };
    expect(localeOf({}, { before: 'b' })).to.equal(null);
    expect(localeOf({ locale: 'de' }, { before: 'b' })).to.equal('de');
    expect(localeOf({ locale: 'de' }, { before: 'b', locale: 'fr' })).to.equal('fr');
    expect(localeOf({ locale: 'de' }, { after: { documentId: 'b', locale: 'en' }, locale: 'fr' })).to.equal(
      'en',
    );
  });
});

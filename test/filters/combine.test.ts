import { expect } from 'chai';
import { ALWAYS, allMatch, anyItem, anyMatch, NEVER, noItem, not } from '../../src/pipeline/rows/combine.js';
import type { Match } from '../../src/pipeline/types.js';

const a: Match = { a: { $eq: 1 } };
const b: Match = { b: { $gt: 2 } };
const c: Match = { c: { $in: [3] } };

describe('combining match documents', () => {
  const cases: readonly (readonly [string, Match, Match])[] = [
    ['and of nothing is always true', allMatch([]), ALWAYS],
    ['and omits conditions that are always true', allMatch([ALWAYS, a]), a],
    ['and with never is never', allMatch([a, NEVER]), NEVER],
    ['and merges keys', allMatch([a, b]), { ...a, ...b }],
    [
      'and merges operators of one path',
      allMatch([{ a: { $gt: 1 } }, { a: { $lt: 5 } }]),
      { a: { $gt: 1, $lt: 5 } },
    ],
    [
      'and keeps a repeated operator',
      allMatch([{ a: { $gt: 1 } }, { a: { $gt: 2 } }]),
      { $and: [{ a: { $gt: 1 } }, { a: { $gt: 2 } }] },
    ],
    [
      'and keeps two expressions',
      allMatch([{ $expr: { $gt: [1, 2] } }, { $expr: { $lt: [1, 2] } }]),
      { $and: [{ $expr: { $gt: [1, 2] } }, { $expr: { $lt: [1, 2] } }] },
    ],
    [
      'and flattens',
      allMatch([{ $and: [{ a: { $gt: 1 } }, { a: { $gt: 2 } }] }, b]),
      { $and: [{ a: { $gt: 1 } }, { a: { $gt: 2 } }, b] },
    ],
    ['or of nothing is never true', anyMatch([]), NEVER],
    ['or of one condition is the condition', anyMatch([a, NEVER]), a],
    ['or with always is always', anyMatch([a, ALWAYS]), ALWAYS],
    ['or flattens', anyMatch([anyMatch([a, b]), c]), { $or: [a, b, c] }],
    ['not of always is never', not(ALWAYS), NEVER],
    ['not of never is always', not(NEVER), ALWAYS],
    ['not', not(a), { $nor: [a] }],
    ['any item, without conditions', anyItem('l', ALWAYS), { 'l.0': { $exists: true } }],
    ['any item with never is never', anyItem('l', NEVER), NEVER],
    ['any item with two conditions', anyItem('l', allMatch([a, b])), { l: { $elemMatch: { ...a, ...b } } }],
    [
      'no $or directly below $elemMatch',
      anyItem('l', anyMatch([a, b])),
      { $or: [{ l: { $elemMatch: a } }, { l: { $elemMatch: b } }] },
    ],
    [
      'alternatives are expanded',
      anyItem('l', allMatch([c, anyMatch([a, b])])),
      { $or: [{ l: { $elemMatch: { ...c, ...a } } }, { l: { $elemMatch: { ...c, ...b } } }] },
    ],
    [
      'a path in front of conditions that cannot be merged',
      anyItem('l', allMatch([{ a: { $gt: 1 } }, { a: { $gt: 2 } }])),
      { l: { $elemMatch: { _none: { $exists: false }, $and: [{ a: { $gt: 1 } }, { a: { $gt: 2 } }] } } },
    ],
    ['no item', noItem('l'), { 'l.0': { $exists: false } }],
  ];
  for (const [name, got, wanted] of cases) it(name, () => expect(got).to.deep.equal(wanted));

  it('limits the expansion of alternatives', () => {
    const many = Array.from({ length: 8 }, (_, n) =>
      anyMatch([{ [`a${n}`]: { $eq: 1 } }, { [`b${n}`]: { $eq: 1 } }]),
    );
    const match = anyItem('l', allMatch(many));
    expect(match).to.have.nested.property('l.$elemMatch._none');
  });
});

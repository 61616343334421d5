import { expect } from 'chai';
import type { RawObject } from '../../src/query/ast.js';
import { line, planOf } from '../support/corpus/plan.js';

const filterOf = (text: string) =>
  line(planOf(text.replace(/(^|&)\[/g, '$1filters[')).filter).replace(/"([^"]*)"/g, '$1');

/** Each row: the query string without the leading `filters`, the condition. */
const rows: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  'implicit operators': [
    ['[name]=x', 'name eq [x]'],
    ['[name]', 'name null'],
    ['[name]=', 'name eq []'],
    ['[name][0]=x&[name][1]=y', '(name eq [x] | name eq [y])'],
    ['[name][]=x', 'name eq [x]'],
  ],
  'operators with lists': [
    ['[name][$in]=x', 'name in [x]'],
    ['[name][$in][0]=x&[name][$in][1]=y', 'name in [x,y]'],
    ['[name][$in][100]=x', 'name in [x]'],
    ['[name][$notIn][]=x', 'name not in [x]'],
    ['[name][$notIn][0]=x&[name][$notIn][1]', 'never'],
    ['[name][$contains][0]=x&[name][$contains][1]=y', '(name contains [x] | name contains [y])'],
    ['[name][$ne][0]=x&[name][$ne][1]=y', '(name not eq [x] | name not eq [y])'],
    ['[stars][$between][0]=1&[stars][$between][1]=2', 'stars between [1,2]'],
  ],
  nulls: [
    ['[name][$null]=true', 'name null'],
    ['[name][$null]=0', 'name not null'],
    ['[name][$null]', 'name not null'],
    ['[name][$null]=abc', 'name null'],
    ['[name][$notNull]=false', 'name null'],
    ['[name][$notNull]=t', 'name not null'],
    ['[name][$null][0]=true&[name][$null][1]=false', '(name null | name not null)'],
    ['[name][$eq]', 'name null'],
    ['[name][$ne]', 'name not null'],
    ['[name][$lt]', 'never'],
  ],
  groups: [
    ['[name]=x&[stars]=1', '(name eq [x] & stars eq [1])'],
    ['[$or][0][name]=x&[$or][1][stars]=1', '(name eq [x] | stars eq [1])'],
    ['[$and][0][name]=x', 'name eq [x]'],
    ['[stars][$gt]=1&[stars][$lt]=3', '(stars gt [1] & stars lt [3])'],
  ],
  'negation is pushed down to the tests': [
    ['[$not][name]=x', 'name not eq [x]'],
    ['[$not][name][$ne]=x', 'name eq [x]'],
    ['[$not][name]=x&[$not][stars]=1', '(name not eq [x] | stars not eq [1])'],
    ['[$not][$or][0][name]=x&[$not][$or][1][stars]=1', '(name not eq [x] & stars not eq [1])'],
    ['[$not][0][name]=x&[$not][1][stars]=1', '(name not eq [x] | stars not eq [1])'],
    ['[name][$not]=x', 'name not eq [x]'],
    ['[name][$not][$not][$eq]=x', 'name eq [x]'],
    ['[name][$not][0]=x&[name][$not][1]=y', '(name not eq [x] | name not eq [y])'],
    ['[name][$not][$null]=true', 'name not null'],
    ['[$not][name][$ne][0]=x&[$not][name][$ne][1]=y', '(name eq [x] & name eq [y])'],
    ['[$not][name][$in][]=x', 'name not in [x]'],
    ['[$not][categories][name]=x', 'categories{name not eq [x]}'],
    [
      '[$not][categories][name]=x&[$not][categories][color]=y',
      'categories{(name not eq [x] | color not eq [y])}',
    ],
  ],
  'relations: one object is one join': [
    ['[categories][name]=x&[categories][color]=y', 'categories{(name eq [x] & color eq [y])}'],
    [
      '[$and][0][categories][name]=x&[$and][1][categories][name]=y',
      '(categories{name eq [x]} & categories{name eq [y]})',
    ],
    ['[categories][$or][0][name]=x&[categories][$or][1][name]=y', 'categories{(name eq [x] | name eq [y])}'],
    ['[owner][bestFriend][firstName]=x', 'owner{bestFriend{firstName eq [x]}}'],
    ['[menu][ingredients][grams][$gt]=1', 'menu{ingredients{grams gt [1]}}'],
    ['[cover][mime]=x', 'cover{mime eq [x]}'],
  ],
  'relations: shorthand by id': [
    ['[owner]=7', 'owner{id eq [7]}'],
    ['[owner]', 'owner{id null}'],
    ['[owner][$null]=true', 'owner{id null}'],
    ['[owner][$ne]=7', 'owner{id not eq [7]}'],
    ['[owner][$in][0]=7&[owner][$in][1]=8', 'owner{id in [7,8]}'],
    ['[owner]=abcdefghijklmnopqrstuvwx', 'owner{id eq [-1]}'],
    ['[owner][$not]=7', 'owner{id not eq [7]}'],
    ['[owner][$not][$null]=true', 'owner{id not null}'],
    ['[owner][$not][$in][0]=7', 'owner{id not in [7]}'],
    ['[owner][$gt]=1&[owner][$lt]=5', 'owner{(id gt [1] & id lt [5])}'],
    ['[$not][owner][$null]=true', 'owner{id not null}'],
    ['[location][$null]=true', 'location{id null}'],
    ['[categories][0]=1&[categories][1]=2', 'categories{(id eq [1] | id eq [2])}'],
  ],
};

/** Strapi answers all of these with a 500 (rules B.6, B.9; the recorded queries). */
const refused = [
  '[$eq]=x',
  '[$or]=x',
  '[$or][name]=x',
  '[$and][0]=5',
  '[$not]=5',
  '[$not][]=5',
  '[0][name]=x',
  '[]=x',
  '[name][$or][0]=x',
  '[name][$and][0][$eq]=x',
  '[name][$eq][$eq]=x',
  '[name][$in][a]=x',
  '[stars]=abc',
  '[stars]=',
  '[stars][$in]=',
  '[stars][$between]=2,4',
  '[stars][$between][]=2',
  '[stars][$contains]=2',
  '[founded][$startsWith]=2',
  '[owner][$not][firstName]=x',
  '[owner][$and][0][firstName]=x&[owner][lastName]=y',
  '[owner][$null]=true&[owner][firstName]=x',
  '[owner][0][firstName]=x',
  '[owner][$or][0][$null]=true',
];

describe('query/plan/filter', () => {
  for (const [name, list] of Object.entries(rows))
    describe(name, () => {
      for (const [text, expected] of list) it(text, () => expect(filterOf(text)).equal(expected));
    });

  describe('returns a 400 that names the key', () => {
    for (const text of refused)
      it(text, () =>
        expect(() => filterOf(text))
          .to.throw()
          .that.includes({ status: 400, name: 'ValidationError' })
          .and.nested.property('details.key'),
      );
  });

  for (const operator of ['$eq', '$in', '$lt'])
    it(`refuses a list in the list of ${operator}`, () =>
      expect(() => filterOf(`[name][${operator}][0][0]=x`)).to.throw(
        'Expected a value, not a list in a list',
      ));

  const service: readonly (readonly [RawObject, string])[] = [
    [{ name: { $in: [] } }, 'never'],
    [{ name: { $notIn: [] } }, 'always'],
    [{ name: {} }, 'always'],
    [{ owner: {} }, 'always'],
    [{ $or: [] }, 'never'],
    [{ name: null }, 'name null'],
    [{ open: { $eq: true } }, 'open eq [true]'],
    [{ lastInspection: new Date(0) }, 'lastInspection eq [1970-01-01T00:00:00.000Z]'],
    [{ internalNote: 'x' }, 'internalNote eq [x]'],
    // A condition on a password is ignored, and so is a group that contains nothing else.
    [{ secret: 'x' }, 'always'],
    [{ secret: { $ne: 'x' }, name: 'a' }, 'name eq [a]'],
    [{ $or: [{ secret: 'x' }, { name: 'a' }] }, 'name eq [a]'],
    [{ $or: [{ secret: 'x' }] }, 'always'],
    [{ $not: { secret: 'x' } }, 'always'],
    [{ $and: [{ $not: { $or: [{ secret: 'x' }] } }, { name: 'a' }] }, 'name eq [a]'],
  ];
  describe('in the Document Service', () => {
    for (const [filters, expected] of service)
      it(JSON.stringify(filters), () =>
        expect(line(planOf({ filters }).filter).replace(/"/g, '')).equal(expected),
      );
  });
});

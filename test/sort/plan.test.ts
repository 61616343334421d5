import { expect } from 'chai';
import type { RawObject } from '../../src/query/ast.js';
import { planOf } from '../support/corpus/plan.js';

const sortOf = (query: string | RawObject): string =>
  planOf(query)
    .sort.map(({ via, attribute, direction }) =>
      [direction === 1 ? '' : '-', ...via.map((hop) => `${hop.attribute.name}.`), attribute.name].join(''),
    )
    .join(' ');

const rows: readonly (readonly [string, string])[] = [
  ['', 'id'],
  ['sort=name', 'name id'],
  ['sort=name:DESC', '-name id'],
  ['sort= name , stars:desc ', 'name -stars id'],
  ['sort[0]=name&sort[1]=stars:desc', 'name -stars id'],
  ['sort[name]=asc&sort[stars]=desc', 'name -stars id'],
  ['sort[0][name]=asc&sort[1][owner][lastName]=desc', 'name -owner.lastName id'],
  ['sort=menu.ingredients.grams', 'menu.ingredients.grams id'],
  ['sort=cover.name:desc', '-cover.name id'],
  ['sort=id:desc,name', '-id'],
  ['sort=name,id:desc,stars', 'name -id'],
  ['sort=', 'id'],
  ['sort=,', 'id'],
  ['sort=:asc', 'id'],
  ['sort[]', 'id'],
  ['sort[name]=&sort[stars]= DESC ', '-stars id'],
  ['sort[0][owner][lastName]=&sort[1][name]=asc', 'name id'],
  ['sort=owner.lastName:,name', 'name id'],
];

const order = 'Invalid order. order can only be one of asc|desc|ASC|DESC';
const refused: readonly (readonly [string | RawObject, string])[] = [
  ['sort=name:', order],
  ['sort=name:up', order],
  ['sort[nope]=', 'Invalid key nope'],
  ['sort[owner][lastName]=up', order],
  ['populate[owner][sort]=lastName:up', order],
  ['populate[menu][sort]=name:', order],
  ['populate[blocks][on][blocks.hero][sort]=title:up', order],
  ['sort=owner', 'Invalid key owner'],
  ['sort=location', 'Invalid key location'],
  ['sort=cover', 'Invalid key cover'],
  ['sort=owner:asc', 'Invalid key asc at owner'],
  ['sort[owner]=asc', 'Invalid key asc at owner'],
  ['sort[name][x]=asc', 'Invalid key x at name'],
  ['sort=name.x', 'Invalid key x at name'],
  ['sort[owner.lastName]=asc', 'Invalid key owner.lastName'],
  ['sort=toString', 'Invalid sort query'],
  ['sort[name][]=asc', 'Invalid sort type expected object or string got object'],
  [{ sort: 5 }, 'Invalid sort parameter.'],
  [{ sort: [5] }, 'Invalid sort parameter.'],
  [{ sort: 'owner.lastName:' }, order],
  [{ sort: ':asc' }, 'Field cannot be empty'],
];

describe('query/plan/sort', () => {
  for (const [text, expected] of rows) it(text, () => expect(sortOf(text)).equal(expected));
  for (const [query, message] of refused)
    it(`${JSON.stringify(query)}: ${message}`, () => expect(() => sortOf(query)).throw(message));
});

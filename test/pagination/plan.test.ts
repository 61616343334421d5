import { expect } from 'chai';
import type { ReadTarget } from '../../src/query/plan.js';
import type { Page } from '../../src/query/read-plan.js';
import { planOf } from '../support/corpus/plan.js';

const page = (number: number, size: number, skip: number): Partial<Page> => ({
  style: 'page',
  page: number,
  limit: size,
  skip,
});
const offset = (skip: number, limit: number): Partial<Page> => ({ style: 'offset', skip, limit });

/** Each row: the parameters below `pagination`, the page (rules A.11). */
const rows: readonly (readonly [string, Partial<Page>])[] = [
  ['', page(1, 25, 0)],
  ['[page]=3', page(3, 25, 50)],
  ['[page]=1e1', page(10, 25, 225)],
  ['[page]=0', page(1, 25, 0)],
  ['[page]=1.5&pagination[pageSize]=4', page(1, 4, 2)],
  ['[page]=2.5&pagination[pageSize]=2', page(2, 2, 3)],
  ['[page]=-1', page(1, 25, 0)],
  ['[page]=', page(1, 25, 0)],
  ['[page][]=2', page(2, 25, 25)],
  ['[pageSize]=0', page(1, 1, 0)],
  ['[pageSize]=-5', page(1, 1, 0)],
  ['[pageSize]=', page(1, 1, 0)],
  ['[pageSize]=5000', page(1, 100, 0)],
  ['[pageSize]=abc', page(1, 100, 0)],
  ['[pageSize]=3&pagination[pageSize]=4', page(1, 100, 0)],
  ['[start]=5', offset(5, 25)],
  ['[start]=-1', offset(0, 25)],
  ['[start]=&pagination[limit]=3', offset(0, 3)],
  ['[limit]=0', offset(0, 1)],
  ['[limit]=-1', offset(0, 1)],
  ['[limit]=abc', offset(0, 100)],
  ['[withCount]=0', { withCount: false }],
  ['[withCount]=t', { withCount: true }],
  ['[foo]=1', page(1, 25, 0)],
  ['[]=1', page(1, 25, 0)],
  ['', { withCount: true }],
];

const mixed = 'Cannot use both page & offset pagination in the same query';
const withCount = 'Invalid withCount parameter. Expected "t","1","true","false","0","f"';
const start = 'convertStartQueryParams expected a positive integer got';

const refused: readonly (readonly [string, string])[] = [
  ['pagination[page]=abc', `${start} NaN`],
  ['pagination[page]=1.5', `${start} 12.5`],
  ['pagination[withCount]=x&pagination[page]=1.5', `${start} 12.5`],
  ['pagination[start]=1.5', `${start} 1.5`],
  ['pagination[page][a]=1', `${start} NaN`],
  ['pagination[page]=1e300', `${start} 2.5e+301`],
  ['pagination[pageSize]=2.5', 'convertLimitQueryParams expected a positive integer got 2.5'],
  ['pagination[page]=1&pagination[start]=0', mixed],
  ['pagination[pageSize]=1&pagination[limit]=1', mixed],
  ['pagination[withCount]=no', withCount],
  ['pagination[withCount]=', withCount],
  ['pagination[withCount]', withCount],
  [
    'page=2',
    'Invalid pagination attributes. The page parameters are incorrect and must be in the pagination object',
  ],
];

describe('query/plan/page', () => {
  for (const [text, expected] of rows)
    it(`pagination${text}`, () => {
      const query = text === '' ? '' : `pagination${text}`;
      expect(planOf(query).page).include(expected);
    });

  for (const [text, message] of refused)
    it(`${text}: ${message}`, () => expect(() => planOf(text)).throw(message));

  it('without a maximum, a page size that is not a number is refused', () =>
    expect(() => planOf('pagination[pageSize]=abc', { settings: { maxLimit: null } })).throw('got NaN'));

  it('the maximum overrides a larger default', () =>
    expect(planOf('', { settings: { defaultLimit: 50, maxLimit: 7 } }).page.limit).equal(7));

  it('single entries have no page', () =>
    expect(planOf('pagination[page]=2&page=3', { target: 'single' }).page).include({
      style: 'none',
      skip: 0,
      limit: 1,
    }));

  describe('strict', () => {
    const settings = { strictValues: true };
    const wrong = (name: string, bound: string, value: string) =>
      `Invalid parameter at '${name}'. Expected integer >= ${bound}, received: ${value}`;
    const styles = 'Invalid pagination parameters. Cannot use both page-based';
    const strictRows: readonly (readonly [string | object, ReadTarget, string])[] = [
      ['page=2', 'list', styles],
      ['pagination[page]=abc', 'list', wrong('start', '0', 'NaN')],
      ['pagination[page]=1.5', 'list', wrong('start', '0', '12.5')],
      ['pagination[pageSize]=2.5', 'list', wrong('limit', '1 or -1', '2.5')],
      ['page=0', 'single', wrong('page', '1', '0')],
      ['start=-1', 'one', wrong('start', '0', '-1')],
      ['page=1&start=0', 'single', styles],
      [{ start: -1 }, 'list', wrong('start', '0', '-1')],
      [{ start: 'x' }, 'list', wrong('start', '0', 'x')],
      [{ limit: 0 }, 'list', wrong('limit', '1 or -1', '0')],
      [{ limit: 1.5 }, 'list', wrong('limit', '1 or -1', '1.5')],
      [{ page: 0 }, 'list', wrong('page', '1', '0')],
      [{ pageSize: -1 }, 'list', wrong('pageSize', '1', '-1')],
      [{ page: 1, limit: 1 }, 'list', styles],
      [
        { withCount: 'yes' },
        'list',
        "Invalid parameter at 'withCount'. Expected a boolean, received: string",
      ],
    ];
    for (const [query, target, message] of strictRows)
      it(`${JSON.stringify(query)}: ${message}`, () =>
        expect(() => planOf(query as string, { settings, target })).throw(message));

    it('empty values count as absent', () =>
      expect(planOf({ start: '', limit: null, page: '' }, { settings }).page).include({
        limit: null,
        skip: 0,
      }));
    it('valid values are parsed', () =>
      expect(planOf({ start: '3', limit: -1, withCount: 'true' }, { settings }).page).include({
        limit: null,
        skip: 3,
      }));
  });

  describe('in the Document Service', () => {
    it('there is no limit by default', () =>
      expect(planOf({}).page).include({ style: 'none', limit: null, skip: 0 }));
    it('a page next to a start or limit is refused', () => {
      expect(() => planOf({ page: 1, limit: 2 })).throw('must be in the pagination object');
      expect(planOf({ page: 2 }).page).include({ limit: null, skip: 0 });
    });
    for (const limit of [-1, 0, '0', ''])
      it(`a limit of ${JSON.stringify(limit)} means no limit`, () =>
        expect(planOf({ limit }).page.limit).equal(null));
    it('start and limit are applied', () =>
      expect(planOf({ start: 3, limit: 2 }).page).include({ skip: 3, limit: 2 }));
    it('page is ignored', () => expect(planOf({ page: 2, pageSize: 3 }).page.limit).equal(null));
    it('start must be a number', () => expect(() => planOf({ start: 'x' })).throw(`${start} NaN`));
  });
});

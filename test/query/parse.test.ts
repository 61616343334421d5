/** query/parse: strings and parameters to the nodes of query/ast.ts, before any schema is involved. */
import { expect } from 'chai';
import type { FilterNode, PopulateNode, SortNode } from '../../src/query/ast.js';
import { parseFilters, parseLocaleFilter } from '../../src/query/parse/filters.js';
import { parsePopulate } from '../../src/query/parse/populate.js';
import { parseSort } from '../../src/query/parse/sort.js';
import { parseQuery, parseQueryText } from '../../src/query/parse.js';

const test = (operator: string, value: unknown): FilterNode => ({ kind: 'operator', operator, value });
const on = (name: string, of: FilterNode): FilterNode => ({ kind: 'attribute', attribute: name, of });
const all = (...of: FilterNode[]): FilterNode => ({ kind: 'all', of });

describe('query/parse/filters', () => {
  const rows: readonly (readonly [unknown, FilterNode | null])[] = [
    [undefined, null],
    [null, null],
    [{}, all()],
    [{ a: '1' }, all(on('a', test('$eq', '1')))],
    [{ a: null }, all(on('a', test('$eq', null)))],
    [{ a: ['1', '2'] }, all(on('a', test('$eq', ['1', '2'])))],
    [{ a: { 0: '1', 1: '2' } }, all(on('a', test('$eq', ['1', '2'])))],
    [{ a: { $gt: '1', $lt: '2' } }, all(on('a', all(test('$gt', '1'), test('$lt', '2'))))],
    [{ a: { b: { $eq: 'x' } } }, all(on('a', all(on('b', all(test('$eq', 'x'))))))],
    [
      { $or: [{ a: '1' }, { b: '2' }] },
      all({
        kind: 'group',
        operator: '$or',
        of: [all(on('a', test('$eq', '1'))), all(on('b', test('$eq', '2')))],
      }),
    ],
    [
      { $and: { 0: { a: '1' } } },
      all({ kind: 'group', operator: '$and', of: [all(on('a', test('$eq', '1')))] }),
    ],
    [{ $not: { a: '1' } }, all({ kind: 'group', operator: '$not', of: [all(on('a', test('$eq', '1')))] })],
    [
      { a: { $not: { $in: ['1'] } } },
      all(on('a', all({ kind: 'group', operator: '$not', of: [all(test('$in', ['1']))] }))),
    ],
  ];
  for (const [raw, node] of rows)
    it(JSON.stringify(raw) ?? 'absent', () => expect(parseFilters(raw)).deep.equal(node));

  const refused: readonly (readonly [unknown, string])[] = [
    [[], 'must be an object'],
    [[{ a: '1' }], 'must be an object'],
    ['a', 'must be an object or an array'],
    [7, 'must be an object or an array'],
    [{ $or: { a: '1' } }, 'Invalid value for $or. Expected an array of objects'],
    [{ $and: ['a'] }, 'Invalid value for $and. Expected an array of objects'],
    [{ a: [{ b: '1' }, { b: '2' }] }, 'Invalid value for a. A list of objects requires $and or $or'],
    [{ a: { b: [{ $eq: '1' }, '2'] } }, 'Invalid value for a.b. A list of objects requires $and or $or'],
    [{ a: { $in: Array.from({ length: 1001 }, String) } }, 'Too many values (1001) in a list'],
  ];
  for (const [raw, message] of refused)
    it(`refuses ${JSON.stringify(raw).slice(0, 60)}`, () => expect(() => parseFilters(raw)).throw(message));

  it('parses operators in locale, and nothing else, as a filter', () => {
    expect(parseLocaleFilter({ $ne: 'fr' })).deep.equal(all(on('locale', all(test('$ne', 'fr')))));
    for (const raw of ['fr', ['fr'], { 0: 'fr' }, null, undefined])
      expect(parseLocaleFilter(raw)).equal(null);
  });
});

describe('query/parse/sort', () => {
  const rest: readonly (readonly [unknown, readonly SortNode[]])[] = [
    [undefined, []],
    ['', []],
    [' , ', []],
    [':asc', []],
    ['a', [{ path: ['a'], order: null }]],
    [
      'a:desc, b.c',
      [
        { path: ['a'], order: 'desc' },
        { path: ['b', 'c'], order: null },
      ],
    ],
    [
      ['a', null, 'b:asc'],
      [
        { path: ['a'], order: null },
        { path: ['b'], order: 'asc' },
      ],
    ],
    [
      { a: 'asc', b: { c: 'desc' } },
      [
        { path: ['a'], order: 'asc' },
        { path: ['b', 'c'], order: 'desc' },
      ],
    ],
    [[{ a: 'asc' }], [{ path: ['a'], order: 'asc' }]],
  ];
  for (const [raw, nodes] of rest)
    it(JSON.stringify(raw) ?? 'absent', () => expect(parseSort(raw, 'rest')).deep.equal(nodes));

  it('the Document Service requires a field before the order', () =>
    expect(() => parseSort(':asc', 'service')).throw('Field cannot be empty'));
  for (const raw of [5, true, [['a']], { a: 5 }, { a: null }])
    it(`refuses ${JSON.stringify(raw)}`, () => expect(() => parseSort(raw, 'rest')).throw('Invalid sort'));
});

describe('query/parse/populate', () => {
  const paths = (of: string[][], unsplit = of): PopulateNode => ({ kind: 'paths', paths: of, unsplit });
  const rows: readonly (readonly [unknown, PopulateNode | null])[] = [
    [undefined, null],
    ['', paths([], [['']])],
    ['*', { kind: 'wildcard' }],
    ['a, b.c', paths([['a'], ['b', 'c']], [['a, b', 'c']])],
    [['a', 'b.c,d'], paths([['a'], ['b', 'c'], ['d']], [['a'], ['b', 'c,d']])],
    [['*'], paths([['*']])],
    [
      { a: 'true', b: '0', c: 't' },
      {
        kind: 'object',
        entries: [
          ['a', { kind: 'flag', on: true }],
          ['b', { kind: 'flag', on: false }],
          ['c', { kind: 'flag', on: true }],
        ],
      },
    ],
    [
      { a: null, b: 'x' },
      {
        kind: 'object',
        entries: [
          ['a', { kind: 'text', text: '' }],
          ['b', { kind: 'text', text: 'x' }],
        ],
      },
    ],
    [{ a: ['x'] }, { kind: 'object', entries: [['a', { kind: 'list', of: ['x'] }]] }],
  ];
  for (const [raw, node] of rows)
    it(JSON.stringify(raw) ?? 'absent', () => expect(parsePopulate(raw)).deep.equal(node));

  it('keeps every key of options, known or unknown', () => {
    const raw = { a: { fields: 'x', sort: 'y', populate: '*', on: { 'b.c': 'true' }, limit: '1' } };
    const node = parsePopulate(raw);
    const [, value] = node?.kind === 'object' ? (node.entries[0] ?? []) : [];
    expect(value).deep.include({ kind: 'options' });
    if (value?.kind !== 'options') return;
    expect(value.options).deep.include({
      fields: { wildcard: false, names: ['x'] },
      filters: null,
      sort: [{ path: ['y'], order: null }],
      populate: { kind: 'wildcard' },
      on: [['b.c', { kind: 'flag', on: true }]],
      keys: ['fields', 'sort', 'populate', 'on', 'limit'],
    });
  });

  for (const raw of [5, true, [null], [5], { a: 5 }, { a: { populate: [5] } }])
    it(`refuses ${JSON.stringify(raw)}`, () =>
      expect(() => parsePopulate(raw)).throw('Invalid populate parameter'));
  it('refuses more than a hundred names in a list', () => {
    const names = Array.from({ length: 101 }, (_, n) => `a${n}`);
    expect(() => parsePopulate(names)).throw('Too many populate entries (101)');
    expect(() => parsePopulate({ ...names })).throw('Too many populate entries (101)');
  });
});

describe('query/parse', () => {
  it('pagination is at the root in the Document Service, and below its own key in REST', () => {
    const raw = { pagination: { page: '2', odd: '1' }, start: '3' };
    expect(parseQuery(raw, 'rest').pagination).deep.include({ page: '2', start: undefined });
    expect(parseQuery(raw, 'service').pagination).deep.include({ start: '3' });
    expect(parseQuery({ pagination: 'x' }, 'rest').pagination).deep.include({ page: undefined });
  });

  it('_q is a string, and empty means absent', () => {
    const searched = ['a', 5, '', null].map((_q) => parseQuery({ _q }, 'rest').search);
    expect(searched).deep.equal(['a', '5', null, null]);
    expect(() => parseQuery({ _q: ['a'] }, 'rest')).throw('Invalid _q parameter');
  });

  it('keeps the names of all parameters, known or unknown', () =>
    expect(parseQuery({ a: '1', sort: 'b' }, 'rest').keys).deep.equal(['a', 'sort']));

  const texts: readonly (readonly [string, unknown])[] = [
    ['a=1&b[c]=2&b[d][]=3', { a: '1', b: { c: '2', d: ['3'] } }],
    ['a&b=', { a: null, b: '' }],
    ['populate[constructor]=1&a=2', { a: '2' }],
    ['a%5Bb%5D=1', { a: { b: '1' } }],
    ['', {}],
  ];
  for (const [text, params] of texts)
    it(`parses ${text || 'nothing'}`, () =>
      expect(JSON.parse(JSON.stringify(parseQueryText(text)))).deep.equal(params));

  it('never drops a filter silently', () => {
    expect(() => parseQueryText('filters[__proto__][a]=1')).throw('Invalid key __proto__');
    expect(JSON.stringify(parseQueryText('filters[constructor]=1'))).equal('{"filters":{"constructor":"1"}}');
  });
});

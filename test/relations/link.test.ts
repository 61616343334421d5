import { expect } from 'chai';
import { type LinkAttribute, parseLinkValue } from '../../src/documents/plan/relation-input.js';

import { applyLinks } from '../../src/documents/relations/apply-links.js';
import { readLinks, type StoredLink, withLinks } from '../../src/documents/relations/stored-links.js';
import type { Resolved } from '../../src/documents/resolve/targets.js';
import type { Schema } from '../../src/schema/types.js';
import { schemaOf, typeFile } from '../support/schemas.js';

const to = (relation: string, more: object = {}) => ({
  type: 'relation',
  relation,
  target: 'api::target.target',
  ...more,
});
const schema: Schema = schemaOf(
  typeFile('source', {
    many: to('oneToMany'),
    one: to('oneToOne'),
    listed: to('manyToOne', { inversedBy: 'sources' }),
    page: { type: 'relation', relation: 'oneToMany', target: 'api::page.page' },
    files: { type: 'media', multiple: true },
    file: { type: 'media', multiple: false },
    any: { type: 'relation', relation: 'morphToMany' },
  }),
  typeFile('target', {
    sources: { type: 'relation', relation: 'oneToMany', target: 'api::source.source', mappedBy: 'listed' },
  }),
  typeFile('page', { title: { type: 'string' } }, { localized: true }),
);

/** Numbers 1, 2, 3 are the documents a, b, c; 9 does not exist. */
const resolved: Resolved = {
  documentId: (_, { documentId, id }) => documentId ?? (id !== null && id < 9 ? (' abc'[id] ?? null) : null),
  rowId: (_, { documentId }) => ' abc'.indexOf(documentId ?? ''),
  reference: (_, { documentId }) => documentId,
  missing: [],
};
const attribute = (name: string): LinkAttribute =>
  schema.contentTypes.get('api::source.source')?.attributes.get(name) as LinkAttribute;
const stored = (...ids: string[]): StoredLink[] =>
  ids.map((documentId, at) => ({ documentId, type: null, order: at + 1, locale: null }));
const apply = (name: string, current: StoredLink[], value: unknown): readonly StoredLink[] =>
  applyLinks(attribute(name), current, parseLinkValue(attribute(name), value), {
    schema,
    resolved,
    localized: false,
    defaultLocale: 'en',
    order: 50,
  });
const ids = (links: readonly StoredLink[]): string => links.map(({ documentId }) => documentId).join('');

describe('applyLinks (rules F.1)', () => {
  const cases: [name: string, current: string, value: unknown, wanted: string][] = [
    ['many', 'ab', undefined, 'ab'],
    ['many', 'ab', {}, 'ab'],
    ['many', 'ab', null, ''],
    ['many', 'ab', ['c', 'a'], 'ca'],
    ['many', 'ab', ['c', 'c', 3, 'a'], 'ca'],
    ['many', 'ab', { set: ['c'], connect: ['b'] }, 'c'],
    ['many', 'ab', { connect: ['c'] }, 'abc'],
    ['many', 'ab', { connect: [1] }, 'ba'],
    ['many', 'ab', { disconnect: ['a'] }, 'b'],
    ['many', 'ab', { disconnect: ['c'] }, 'ab'],
    ['many', 'ab', { disconnect: [9] }, 'ab'],
    ['many', 'ab', { connect: ['a'], disconnect: ['a'] }, 'ba'],
    ['many', 'ab', { connect: [{ id: 3, position: { before: 2 } }] }, 'acb'],
    [
      'many',
      'ab',
      { connect: [{ id: 3, position: { before: 'nowhere' } }], options: { strict: false } },
      'abc',
    ],
    ['one', 'a', {}, 'a'],
    ['one', 'a', { set: null }, 'a'],
    ['file', 'a', undefined, 'a'],
    ['file', 'a', {}, ''],
    ['file', 'a', { set: null }, ''],
    ['file', 'a', { connect: [] }, 'a'],
    ['files', 'ab', true, ''],
    ['files', 'ab', { disconnect: [] }, 'ab'],
    ['one', 'a', 'b', 'b'],
    ['one', 'a', ['a', 'b', 'c'], 'c'],
    ['one', 'a', { connect: ['b', 'c'] }, 'b'],
    ['one', 'a', { disconnect: ['a'] }, ''],
    ['one', 'a', { disconnect: ['b'] }, 'a'],
    ['one', 'a', { connect: ['b'], disconnect: ['a'] }, 'b'],
    ['one', 'a', null, ''],
    ['files', 'a', ['b', 'b', 3], 'bc'],
    ['files', 'a', { connect: ['b'], disconnect: ['a'] }, 'b'],
    ['file', 'a', ['b', 'c'], 'b'],
    ['file', 'a', { connect: ['b', 'c'] }, 'b'],
    ['file', 'a', { disconnect: ['a'] }, ''],
  ];
  for (const [name, current, value, wanted] of cases)
    it(`${name}: ${current || 'nothing'} and ${JSON.stringify(value)}`, () => {
      expect(ids(apply(name, stored(...current), value))).to.equal(wanted);
    });

  it('assigns positions to new links in an inverse list, and only there', () => {
    expect(apply('listed', [], 'a')[0]?.order).to.equal(50);
    expect(apply('listed', stored('a'), 'a')[0]?.order, 'connected already').to.equal(1);
    expect(apply('listed', stored('a'), { connect: ['a'] })[0]?.order, 'connected again').to.equal(1);
    expect(apply('many', [], ['a'])[0]?.order).to.equal(null);
  });
  it('keeps the locale chosen for a localized target: each locale is a separate target', () => {
    const links = apply(
      'page',
      [],
      [{ documentId: 'a', locale: 'fr' }, { documentId: 'a', locale: 'de' }, 'a'],
    );
    expect(links.map(({ locale }) => locale)).to.deep.equal(['fr', 'de', null]);
    expect(apply('page', [...links], { disconnect: [{ documentId: 'a', locale: 'fr' }] })).to.have.length(2);
    expect(apply('many', [], [{ documentId: 'a', locale: 'fr' }])[0]?.locale).to.equal(null);
  });
  it('polymorphic links include their type', () => {
    const links = apply(
      'any',
      [],
      [
        { __type: 'api::page.page', id: 1 },
        { __type: 'api::target.target', id: 1 },
      ],
    );
    expect(links.map(({ type, documentId }) => `${type} ${documentId}`)).to.deep.equal([
      'api::page.page a',
      'api::target.target a',
    ]);
    expect(() => apply('any', [], [1])).to.throw('Invalid key any');
  });
});

describe('links of an entry', () => {
  it('are written as references, with additional data next to them, and read back', () => {
    const links: StoredLink[] = [
      { documentId: 'a', type: null, order: 1.5, locale: null },
      { documentId: 'b', type: null, order: null, locale: 'fr' },
    ];
    const entry = withLinks({ title: 't' }, attribute('many'), links);
    expect(entry).to.deep.equal({
      title: 't',
      many: ['a', 'b'],
      _links: { many: { order: [1.5, null], locale: [null, 'fr'] } },
    });
    expect(readLinks(entry, attribute('many'))).to.deep.equal(links);
    expect(withLinks(entry, attribute('many'), [])).to.deep.equal({ title: 't', many: [] });
    expect(withLinks({}, attribute('one'), [])).to.deep.equal({ one: null });
  });
  it('are read from an adopted entry without additional data', () => {
    expect(readLinks({ one: 'a' }, attribute('one'))).to.deep.equal([
      { documentId: 'a', type: null, order: null, locale: null },
    ]);
    expect(readLinks({}, attribute('many'))).to.deep.equal([]);
  });
});

import { expect } from 'chai';
import type { RawObject } from '../../src/query/ast.js';
import { type Reading, readingOf, requestFor } from '../support/reading.js';
import { componentFile, schemaOf, typeFile } from '../support/schemas.js';

const relation = (kind: string, target: string, more: object = {}) => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...more,
});
const name = { type: 'string' };

const schema = schemaOf(
  componentFile('shop.line', {
    name,
    tag: relation('oneToOne', 'tag'),
    tags: relation('oneToMany', 'tag'),
    bits: { type: 'component', component: 'shop.bit', repeatable: true },
    photo: { type: 'media', multiple: false },
  }),
  componentFile('shop.bit', { name, tag: relation('oneToOne', 'tag') }),
  componentFile('shop.quote', { name, tag: relation('oneToOne', 'shop') }),
  componentFile('shop.note', { name, bits: { type: 'text' } }),
  typeFile('tag', {
    name,
    rank: { type: 'integer' },
    shops: relation('manyToMany', 'shop', { mappedBy: 'tags' }),
  }),
  typeFile(
    'shop',
    {
      name,
      tags: relation('manyToMany', 'tag', { inversedBy: 'shops' }),
      best: relation('manyToOne', 'tag'),
      friends: relation('oneToMany', 'shop'),
      line: { type: 'component', component: 'shop.line' },
      lines: { type: 'component', component: 'shop.line', repeatable: true },
      zone: { type: 'dynamiczone', components: ['shop.line', 'shop.quote'] },
      about: { type: 'relation', relation: 'morphToMany' },
      related: { type: 'relation', relation: 'morphToMany' },
    },
    { draftAndPublish: true },
  ),
  typeFile(
    'page',
    { name, related: relation('oneToMany', 'page') },
    { draftAndPublish: true, localized: true },
  ),
  typeFile('menu', { name, pages: relation('oneToMany', 'page') }),
  typeFile('board', { name, zone: { type: 'dynamiczone', components: ['shop.line', 'shop.note'] } }),
);

const tags = ['a', 'b', 'c', 'd'].map((text, n) => ({
  id: n + 1,
  documentId: `tag_${text}`,
  name: text,
  rank: 10 - n,
  locale: null,
}));
const line = (
  id: number,
  tag: string | null,
  list: readonly string[],
  bits: readonly (string | null)[] = [],
) => ({
  id,
  name: `line ${id}`,
  tag,
  tags: list,
  bits: bits.map((each, n) => ({ id: id * 10 + n, name: `bit ${id * 10 + n}`, tag: each })),
  photo: null,
});
const shop = (id: number, more: object) => ({
  id,
  documentId: `shop_${id}`,
  name: `shop ${id}`,
  locale: null,
  tags: [],
  best: null,
  friends: [],
  line: null,
  lines: [],
  zone: [],
  about: [],
  publishedAt: new Date(0),
  ...more,
});
const shops = [
  shop(1, {
    tags: ['tag_c', 'tag_gone', 'tag_a'],
    _links: { tags: { order: [2, 9, 1] } },
    best: 'tag_b',
    friends: ['shop_3', 'shop_2', 'shop_9'],
    line: line(1, 'tag_a', ['tag_d', 'tag_a']),
    lines: [
      line(2, 'tag_b', ['tag_c', 'tag_a'], ['tag_d', null]),
      line(3, null, [], ['tag_d', 'tag_a']),
      line(4, 'tag_gone', ['tag_a']),
    ],
    zone: [
      { __component: 'shop.line', ...line(5, 'tag_c', []) },
      { __component: 'shop.quote', id: 6, name: 'q', tag: 'shop_2' },
      { __component: 'shop.old', id: 7 },
    ],
    about: [
      { __type: 'api::shop.shop', documentId: 'shop_2' },
      { __type: 'api::tag.tag', documentId: 'tag_a' },
      { __type: 'api::tag.tag', documentId: 'tag_gone' },
    ],
    related: [{ __type: 'api::tag.tag', documentId: 'tag_b' }],
  }),
  shop(2, { tags: ['tag_a'], _links: { tags: { order: [0] } }, best: 'tag_gone' }),
  shop(3, { tags: ['tag_a', 'tag_c'] }),
];
const drafts = [
  ...shops.map((each) => ({ ...each, id: each.id + 100, publishedAt: null })),
  shop(109, { documentId: 'shop_9', name: 'draft only', publishedAt: null }),
];
const page = (id: number, documentId: string, locale: string, related: readonly string[] = []) => ({
  id,
  documentId,
  locale,
  name: `${documentId} ${locale}`,
  related,
  publishedAt: new Date(0),
});
const pages = [
  page(1, 'p1', 'en', ['p2', 'p3']),
  page(2, 'p1', 'fr', ['p2', 'p3']),
  page(3, 'p2', 'en'),
  page(4, 'p3', 'fr'),
  page(5, 'p3', 'en'),
];
const menus = [
  {
    id: 1,
    documentId: 'm1',
    name: 'm',
    locale: null,
    pages: ['p3', 'p1', 'p1', 'p2'],
    _links: { pages: { locale: ['fr', null, 'fr', 'fr'] } },
  },
];
const boards = [
  {
    id: 1,
    documentId: 'b1',
    name: 'b',
    locale: null,
    zone: [
      { __component: 'shop.line', ...line(1, null, [], [null]) },
      { __component: 'shop.note', id: 2, name: 'n', bits: 'a few' },
    ],
  },
];

const names = (list: unknown): unknown =>
  Array.isArray(list) ? list.map((each) => (each as { name: unknown } | null)?.name) : list;

for (const lookups of ['rows', 'sets'] as const)
  describe(`populate (rules C), ${lookups === 'sets' ? 'in sets' : 'by the row'}`, () => {
    let reading: Reading;
    before(async () => {
      reading = await readingOf(
        schema,
        { tags, shops, 'shops.drafts': drafts, pages, menus, boards },
        lookups,
      );
    });
    after(() => reading.close());

    const first = async (type: string, params: RawObject): Promise<Record<string, unknown>> => {
      const { data } = await reading.reader.list(
        requestFor(reading.type(type), { status: 'published', sort: 'id', ...params }),
      );
      return { ...data[0] };
    };
    const shownOf = async (type: string, populate: RawObject, more: RawObject = {}) =>
      first(type, { fields: ['name'], populate, ...more });

    it('returns a to-many in connection order, without missing targets', async () => {
      const { tags: shown, friends, best } = await shownOf('shop', { tags: true, friends: true, best: true });
      expect(names(shown)).to.deep.equal(['c', 'a']);
      expect(names(friends)).to.deep.equal(['shop 3', 'shop 2']);
      expect(best).to.include({ name: 'b', rank: 9 });
    });

    it('returns null for a to-one with a missing target', async () => {
      const { best } = await shownOf('shop', { best: true }, { filters: { id: 2 } });
      expect(best).to.equal(null);
    });

    it('populates drafts with drafts', async () => {
      const { friends } = await shownOf('shop', { friends: true }, { status: 'draft' });
      expect(names(friends)).to.deep.equal(['shop 3', 'shop 2', 'draft only']);
    });

    it('sorts, filters and paginates what is populated', async () => {
      const sorted = await shownOf('shop', { tags: { sort: 'name', fields: ['name'] } });
      expect(sorted['tags']).to.deep.equal([
        { id: 1, documentId: 'tag_a', name: 'a' },
        { id: 3, documentId: 'tag_c', name: 'c' },
      ]);
      const filtered = await shownOf('shop', {
        tags: { filters: { rank: { $gt: 9 } } },
        best: { filters: { name: 'x' } },
      });
      expect(names(filtered['tags'])).to.deep.equal(['a']);
      expect(filtered['best']).to.equal(null);
    });

    it('filters what is populated through relations', async () => {
      const { tags: shown } = await shownOf('shop', { tags: { filters: { shops: { name: 'shop 2' } } } });
      expect(names(shown)).to.deep.equal(['a']);
    });

    it('counts targets', async () => {
      const shown = await shownOf('shop', {
        tags: { count: true },
        lines: { populate: { tags: { count: true } } },
      });
      expect(shown['tags']).to.deep.equal({ count: 2 });
      expect((shown['lines'] as { tags: unknown }[]).map(({ tags: each }) => each)).to.deep.equal([
        { count: 2 },
        { count: 0 },
        { count: 1 },
      ]);
    });

    const lineNames = async (lines: object): Promise<unknown> =>
      names((await shownOf('shop', { lines }))['lines']);
    const through: readonly (readonly [string, object, readonly number[]])[] = [
      ['a to-one', { tag: { name: 'b' } }, [2]],
      ['a to-many', { tags: { name: 'a' } }, [2, 4]],
      [
        'a to-one of another type, then its to-many',
        { tag: { shops: { name: { $startsWith: 'shop' } } } },
        [],
      ],
      ['a to-many, then its to-many', { tags: { shops: { name: 'shop 2' } } }, [2, 4]],
      ['a to-one without a target', { tag: { id: { $null: true } } }, [3, 4]],
      ['a to-many without an existing target', { tags: { name: { $null: true } } }, [3]],
      ['a negated condition', { $not: { tag: { name: 'b' } } }, []],
      ['a to-one of nested items', { bits: { tag: { name: 'a' } } }, [3]],
      [
        'together with a condition on the item',
        { $or: [{ tag: { name: 'b' } }, { name: 'line 3' }] },
        [2, 3],
      ],
      ['media', { photo: { id: { $null: true } } }, [2, 3, 4]],
    ];
    for (const [what, filters, lines] of through)
      it(`selects component items through relations: ${what}`, async () =>
        expect(await lineNames({ filters })).to.deep.equal(lines.map((id) => `line ${id}`)));

    const orders: readonly (readonly [string, readonly number[]])[] = [
      ['name:desc', [4, 3, 2]],
      ['tag.name', [3, 4, 2]],
      ['tag.name:desc', [2, 3, 4]],
      ['tags.rank', [3, 2, 4]],
      ['tags.name:desc', [2, 4, 3]],
      ['bits.name:desc', [3, 2, 4]],
    ];
    for (const [sort, lines] of orders)
      it(`sorts component items by ${sort}`, async () =>
        expect(await lineNames({ sort })).to.deep.equal(lines.map((id) => `line ${id}`)));

    it('refuses to sort them by more than one relation', async () => {
      const refused = await shownOf('shop', { lines: { sort: 'tag.shops.name' } }).catch(
        (error: unknown) => error,
      );
      expect(refused).to.include({ status: 400 });
    });

    it('selects zone items and a single component through relations', async () => {
      const { zone } = await shownOf('shop', {
        zone: {
          on: {
            'shop.line': { filters: { tag: { name: 'a' } } },
            'shop.quote': { filters: { tag: { name: 'shop 2' } } },
          },
        },
      });
      expect(names(zone)).to.deep.equal(['q']);
      const line = async (filters: object) => (await shownOf('shop', { line: { filters } }))['line'];
      expect(await line({ tag: { name: 'a' } })).to.include({ name: 'line 1' });
      expect(await line({ tags: { name: 'b' } })).to.equal(null);
    });

    it('counts a to-one', async () => {
      const shown = await shownOf('shop', { best: { count: true }, line: { count: true } });
      expect(shown['best']).to.deep.equal({ count: 1 });
      expect(shown['line']).to.deep.equal({ count: 1 });
      const filtered = await shownOf('shop', {
        best: { count: true, filters: { name: 'x' } },
        line: { count: true, filters: { name: 'x' } },
      });
      expect(filtered['best']).to.deep.equal({ count: 0 });
      expect(filtered['line']).to.deep.equal({ count: 0 });
    });

    it('sorts by the order of the inverse side, then by id', async () => {
      const { shops: shown } = await shownOf('tag', { shops: { fields: ['name'] } });
      expect(shown).to.deep.equal([
        { id: 2, documentId: 'shop_2', name: 'shop 2' },
        { id: 1, documentId: 'shop_1', name: 'shop 1' },
        { id: 3, documentId: 'shop_3', name: 'shop 3' },
      ]);
      const sorted = await shownOf('tag', { shops: { sort: 'name:desc' } });
      expect(names(sorted['shops'])).to.deep.equal(['shop 3', 'shop 2', 'shop 1']);
      expect((await shownOf('tag', { shops: { count: true } }))['shops']).to.deep.equal({ count: 3 });
    });

    it('attaches the rows of component items to their items', async () => {
      const { line: single, lines } = await shownOf('shop', {
        line: { populate: { tag: true, tags: true } },
        lines: { populate: { tag: { fields: ['name'] }, tags: true, bits: { populate: { tag: true } } } },
      });
      expect(names((single as { tags: unknown }).tags)).to.deep.equal(['d', 'a']);
      const items = lines as { tag: unknown; tags: unknown; bits: { tag: { name: string } | null }[] }[];
      expect(items.map(({ tag }) => tag)).to.deep.equal([
        { id: 2, documentId: 'tag_b', name: 'b' },
        null,
        null,
      ]);
      expect(items.map(({ tags: each }) => names(each))).to.deep.equal([['c', 'a'], [], ['a']]);
      expect(items.map(({ bits }) => bits.map(({ tag }) => tag?.name ?? null))).to.deep.equal([
        ['d', null],
        ['d', 'a'],
        [],
      ]);
    });

    it('sorts inside component items', async () => {
      const { lines } = await shownOf('shop', { lines: { populate: { tags: { sort: 'rank' } } } });
      expect((lines as { tags: unknown }[]).map(({ tags: each }) => names(each))).to.deep.equal([
        ['c', 'a'],
        [],
        ['a'],
      ]);
    });

    it('selects and sorts component items', async () => {
      const { lines } = await shownOf('shop', {
        lines: { filters: { id: { $gt: 2 } }, sort: 'name:desc', fields: ['name'] },
      });
      expect(names(lines)).to.deep.equal(['line 4', 'line 3']);
    });

    it('shows items of a zone whose components have one name for a component and for a text', async () => {
      const { zone } = await shownOf('board', { zone: { populate: '*' } });
      expect((zone as Record<string, unknown>[]).map(({ bits }) => bits)).to.deep.equal([
        [{ id: 10, name: 'bit 10' }],
        'a few',
      ]);
    });

    it('keeps the components of a zone apart, and omits components that it does not have', async () => {
      const { zone } = await shownOf('shop', {
        zone: {
          on: {
            'shop.line': { populate: { tag: true } },
            'shop.quote': { populate: { tag: { fields: ['name'] } } },
          },
        },
      });
      const [one, two, ...rest] = zone as Record<string, unknown>[];
      expect(one).to.deep.include({ id: 5, name: 'line 5', __component: 'shop.line' });
      expect(one?.['tag']).to.include({ name: 'c' });
      expect(two).to.deep.equal({
        id: 6,
        name: 'q',
        tag: { id: 2, documentId: 'shop_2', name: 'shop 2' },
        __component: 'shop.quote',
      });
      expect(rest).to.deep.equal([]);
    });

    it('returns polymorphic targets in order, each with its type', async () => {
      const { about } = await shownOf('shop', {
        about: { on: { 'api::tag.tag': { fields: ['name'] }, 'api::shop.shop': { fields: ['name'] } } },
      });
      expect(about).to.deep.equal([
        { id: 2, documentId: 'shop_2', name: 'shop 2', __type: 'api::shop.shop' },
        { id: 1, documentId: 'tag_a', name: 'a', __type: 'api::tag.tag' },
      ]);
    });

    it('returns polymorphic targets of an attribute with the same name as the inverse of media', async () => {
      const { related } = await shownOf('shop', { related: true });
      expect(names(related)).to.deep.equal(['b']);
    });

    it('populates inside what is populated', async () => {
      const { friends } = await shownOf('shop', {
        friends: { populate: { tags: { populate: { shops: { count: true } } } } },
      });
      const [friend] = friends as { tags: { name: string; shops: unknown }[] }[];
      expect(friend?.tags.map((tag) => [tag.name, tag.shops])).to.deep.equal([
        ['a', { count: 3 }],
        ['c', { count: 2 }],
      ]);
    });

    it("follows the entry's locale, even if each entry has a different one", async () => {
      const french = await shownOf('page', { related: true }, { locale: 'fr' });
      expect(names(french['related'])).to.deep.equal(['p3 fr']);
      const { data } = await reading.reader.list(
        requestFor(reading.type('page'), {
          status: 'published',
          locale: '*',
          sort: 'id',
          populate: { related: true },
        }),
      );
      expect(data.map((each) => names(each['related']))).to.deep.equal([
        ['p2 en', 'p3 en'],
        ['p3 fr'],
        [],
        [],
        [],
      ]);
    });

    it('returns other locales, but not those in the same list', async () => {
      const { localizations } = await shownOf('page', { localizations: true });
      expect(names(localizations)).to.deep.equal(['p1 fr']);
      const { data } = await reading.reader.list(
        requestFor(reading.type('page'), { status: 'published', locale: '*', populate: ['localizations'] }),
      );
      expect(data.flatMap((each) => each['localizations'])).to.deep.equal([]);
    });

    it('returns each reference in the locale in which it was connected', async () => {
      const { pages: shown } = await shownOf('menu', { pages: true });
      expect(names(shown)).to.deep.equal(['p3 fr', 'p1 en', 'p1 fr']);
    });
  });

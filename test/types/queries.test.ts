/** What compiles with generated types in queries and results, through the Document Service and through the client. */
import { resolve } from 'node:path';
import { expect } from 'chai';
import { describeTypes } from '../../src/describe/types.js';
import { OPERATORS } from '../../src/query/operators.js';
import { compilerMessages } from '../support/compiler-messages.js';
import { componentFile, schemaOf, typeFile } from '../support/schemas.js';

const schema = schemaOf(
  typeFile('author', {
    name: { type: 'string', required: true },
    born: { type: 'date' },
    posts: { type: 'relation', relation: 'oneToMany', target: 'api::post.post', mappedBy: 'author' },
    mentor: { type: 'relation', relation: 'manyToOne', target: 'api::author.author' },
  }),
  typeFile('post', {
    title: { type: 'string', required: true },
    kind: { type: 'enumeration', enum: ['news', 'essay'] },
    views: { type: 'integer' },
    open: { type: 'boolean' },
    extra: { type: 'json' },
    secret: { type: 'string', private: true },
    seo: { type: 'component', component: 'shared.seo' },
    zone: { type: 'dynamiczone', components: ['shared.seo', 'shared.quote'] },
    cover: { type: 'media' },
    author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author', inversedBy: 'posts' },
    about: { type: 'relation', relation: 'morphToOne' },
  }),
  componentFile('shared.seo', { title: { type: 'string' }, image: { type: 'media' } }),
  componentFile('shared.quote', { text: { type: 'text' } }),
);

type Row = readonly [says: string, code: string];

const COMPILES: readonly Row[] = [
  ['scalars are always included', `const [one] = await posts.findMany({}); one?.title.trim();`],
  [
    'a relation is included when populated',
    `(await posts.findMany({ populate: 'author' }))[0]?.author?.name.trim();`,
  ],
  ['so is one in a list', `(await posts.findMany({ populate: ['author', 'cover'] }))[0]?.cover?.url.trim();`],
  [
    'a path populates both',
    `(await posts.findMany({ populate: ['author.mentor'] }))[0]?.author?.mentor?.name.trim();`,
  ],
  [
    'populating everything',
    `const p = (await posts.findFirst({ populate: '*' })); p?.author?.name; p?.seo?.title; p?.about?.__type;`,
  ],
  [
    'a query within a query',
    `const p = await posts.findFirst({ populate: { author: { fields: ['name'], populate: { posts: { filters: { views: { $gt: 3 } }, sort: 'title:desc' } } } } });
     p?.author?.posts[0]?.title.trim();`,
  ],
  [
    'items of a zone by their component',
    `const p = await posts.findFirst({ populate: { zone: { on: { 'shared.seo': { populate: 'image' }, 'shared.quote': true } } } });
     for (const item of p?.zone ?? []) { if (item.__component === 'shared.seo') item.image?.url; else item.text?.trim(); }`,
  ],
  [
    'selected fields, and the two keys',
    `const p = await posts.findFirst({ fields: ['title'] }); p?.documentId; p?.id; p?.title;`,
  ],
  [
    'filters of every type',
    `await posts.findMany({ filters: { title: { $containsi: 'a' }, views: { $between: [1, 2] }, open: true, kind: ['news'], extra: { $notNull: true } } });`,
  ],
  [
    'deep filters and groups',
    `await posts.findMany({ filters: { $or: [{ author: { mentor: { name: { $startsWith: 'A' } } } }, { $not: { seo: { title: null } } }, { cover: { width: { $gt: 100 } } }] } });`,
  ],
  [
    'dates as strings and as Date objects',
    `await authors.findMany({ filters: { born: { $lt: new Date() }, $and: [{ born: { $gt: '1900-01-01' } }] } });`,
  ],
  [
    'a relation by its numeric id',
    `await posts.findMany({ filters: { author: 5, cover: { $null: true } } });`,
  ],
  [
    'sorts by path and object',
    `await posts.findMany({ sort: ['author.name:asc', { views: 'desc' }, { author: { mentor: { name: 'asc' } } }] });`,
  ],
  [
    'private attributes through the Document Service',
    `(await posts.findMany({ filters: { secret: 'x' } }))[0]?.secret;`,
  ],
  [
    'input of create and update',
    `await posts.create({ data: { title: 'A', author: { connect: ['x'] }, seo: { title: 'b' }, zone: [{ __component: 'shared.quote', text: 'c' }] } });`,
  ],
  [
    'the client: a page',
    `const { data, meta } = await client.collection('posts').find({ populate: 'author', pagination: { pageSize: 2 } }); data[0]?.author?.name; meta.pagination.total;`,
  ],
  [
    'the client: one',
    `(await client.collection('posts').findOne('x', { fields: 'title' })).data.title.trim();`,
  ],
  [
    'the client: writes',
    `await client.collection('posts').update('x', { views: 3 }, { status: 'draft' }); await client.collection('posts').delete('x');`,
  ],
  [
    'a client without types',
    `(await createClient({ url: '' }).collection('anything').find({ filters: { a: 1 } })).data[0]?.['b'];`,
  ],
];

const REFUSED: readonly Row[] = [
  [
    'a page of a populated relation, which the API does not accept',
    `await posts.findMany({ populate: { author: { limit: 2 } } });`,
  ],
  ['a relation that was not populated', `(await posts.findMany({}))[0]?.author;`],
  ['a relation next to the populated one', `(await posts.findMany({ populate: 'author' }))[0]?.cover;`],
  [
    'a relation below the populated one',
    `(await posts.findMany({ populate: { author: true } }))[0]?.author?.mentor;`,
  ],
  ['a field that was not selected', `(await posts.findMany({ fields: ['title'] }))[0]?.views;`],
  [
    'a nested field that was not selected',
    `(await posts.findMany({ populate: { author: { fields: ['born'] } } }))[0]?.author?.name;`,
  ],
  [
    'a component that was not requested',
    `const p = await posts.findFirst({ populate: { zone: { on: { 'shared.quote': true } } } }); p?.zone[0]?.__component === 'shared.seo';`,
  ],
  ['a misspelt field', `await posts.findMany({ fields: ['titel'] });`],
  ['a misspelt filter', `await posts.findMany({ filters: { titel: 'a' } });`],
  ['a misspelt filter next to another', `await posts.findMany({ filters: { title: 'a', veiws: 1 } });`],
  ['a misspelt deep filter', `await posts.findMany({ filters: { author: { nmae: 'a' } } });`],
  ['a misspelt filter in a group', `await posts.findMany({ filters: { $or: [{ titel: 'a' }] } });`],
  ['an unknown operator', `await posts.findMany({ filters: { title: { $like: 'a' } } });`],
  ['a string operator on a number', `await posts.findMany({ filters: { views: { $contains: 'a' } } });`],
  ['a string operator on a boolean', `await posts.findMany({ filters: { open: { $startsWith: 'a' } } });`],
  ['a value of another type', `await posts.findMany({ filters: { views: { $gt: 'many' } } });`],
  ['a value that is not in the enumeration', `await posts.findMany({ filters: { kind: 'poem' } });`],
  ['a filter of a zone', `await posts.findMany({ filters: { zone: { $null: true } } });`],
  ['a misspelt sort', `await posts.findMany({ sort: 'titel:asc' });`],
  ['an unknown direction', `await posts.findMany({ sort: 'title:up' });`],
  ['a misspelt relation', `await posts.findMany({ populate: 'autor' });`],
  ['a misspelt relation in a list', `await posts.findMany({ populate: ['author', 'covre'] });`],
  ['a misspelt relation in an object', `await posts.findMany({ populate: { autor: true } });`],
  [
    'a misspelt relation next to another',
    `await posts.findMany({ populate: { author: true, covre: true } });`,
  ],
  [
    'a misspelt nested relation',
    `await posts.findMany({ populate: { author: { populate: { mentro: true } } } });`,
  ],
  [
    'a misspelt nested filter',
    `await posts.findMany({ populate: { author: { filters: { name: 'a', nmae: 'b' } } } });`,
  ],
  ['a misspelt nested parameter', `await posts.findMany({ populate: { author: { field: ['name'] } } });`],
  [
    'a component that the zone does not allow',
    `await posts.findMany({ populate: { zone: { on: { 'shared.tag': true } } } });`,
  ],
  ['a misspelt parameter', `await posts.findMany({ filter: { title: 'a' } });`],
  ['an unknown status', `await posts.findMany({ status: 'live' });`],
  ['input with a misspelt attribute', `await posts.create({ data: { titel: 'A' } });`],
  ['input of another type', `await posts.create({ data: { views: 'many' } });`],
  ['the client: an unknown collection', `client.collection('pots');`],
  [
    'the client: a private attribute in a response',
    `(await client.collection('posts').find()).data[0]?.secret;`,
  ],
  [
    'the client: a private attribute in a filter',
    `await client.collection('posts').find({ filters: { secret: 'x' } });`,
  ],
  ['the client: a misspelt filter', `await client.collection('posts').find({ filters: { titel: 'x' } });`],
  [
    'the client: a relation that was not populated',
    `(await client.collection('posts').find()).data[0]?.author;`,
  ],
];

const FOLDER = resolve('test/types');
const CONTENT = resolve(FOLDER, 'content.d.ts');
const HEAD = `
import type { Connection } from 'mangrove';
import { createClient } from 'mangrove/client';
import type { Api } from './content.js';
declare const documents: Connection['documents'];
const posts = documents('api::post.post');
const authors = documents('api::author.author');
const client = createClient<Api>({ url: 'http://localhost/api' });
export const run = async (): Promise<void> => { void posts; void authors; void client; void createClient;
`;

describe('types of queries and results', function () {
  this.timeout(180_000);
  const fileOf = (kind: string, n: number): string => resolve(FOLDER, `${kind}-${n}.ts`);
  const operators = [...OPERATORS].map(([name, { operand, value }]): Row => {
    const given =
      value === 'flag' ? 'true' : operand === 'pair' ? `['a', 'b']` : operand === 'list' ? `['a']` : `'a'`;
    return [name, `await posts.findMany({ filters: { title: { ${name}: ${given} } } });`];
  });
  const groups = { compiles: COMPILES, refused: REFUSED, operator: operators };
  let messages: ReadonlyMap<string, readonly string[]>;
  before(() => {
    const snippets = Object.entries(groups).flatMap(([kind, rows]) =>
      rows.map(([, code], n) => [fileOf(kind, n), `${HEAD}${code}\n};\n`] as const),
    );
    messages = compilerMessages(new Map([[CONTENT, describeTypes(schema)], ...snippets]));
  });

  it('the declarations themselves compile', () => {
    expect(messages.get(CONTENT)).to.eql([]);
  });
  for (const [n, [says]] of COMPILES.entries())
    it(`compiles: ${says}`, () => {
      expect(messages.get(fileOf('compiles', n))).to.eql([]);
    });
  for (const [n, [says]] of operators.entries())
    it(`a string accepts ${says}`, () => {
      expect(messages.get(fileOf('operator', n))).to.eql([]);
    });
  for (const [n, [says]] of REFUSED.entries())
    it(`does not compile: ${says}`, () => {
      expect(messages.get(fileOf('refused', n))).to.have.length.of.at.least(1);
    });
});

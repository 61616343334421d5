/** Relations that are stored as DBRefs, `{ $ref, $id }`. */
import { type Document, ObjectId } from 'bson';
import { expect } from 'chai';
import { DBRef } from 'mongodb';
import type { Entry } from '../../src/store/entries/changes.js';
import { has } from '../support/engines/lacks.js';
import { adopted, nameOf, pluck, postsServer } from './posts.js';
import { relation, SHOP, startAdopted } from './shops.js';

const FILES = {
  'author/schema.json': adopted(
    'author',
    {},
    {
      name: { type: 'string' },
      posts: relation('oneToMany', 'post', { mappedBy: 'author' }),
      checked: relation('manyToMany', 'post', { mappedBy: 'crew' }),
    },
  ),
  'topic/schema.json': adopted('topic', { id: 'number' }, { name: { type: 'string' } }),
  'post/schema.json': adopted(
    'post',
    {
      fields: {
        author: 'author.$id',
        crew: 'crew.$id',
        topic: 'meta.topic.$id',
        aboutAuthor: 'about.$id',
      },
    },
    {
      title: { type: 'string' },
      author: relation('manyToOne', 'author', { inversedBy: 'posts' }),
      crew: relation('manyToMany', 'author', { inversedBy: 'checked' }),
      topic: relation('manyToOne', 'topic'),
      aboutAuthor: relation('manyToOne', 'author'),
      lines: { type: 'component', component: 'post.line', repeatable: true },
    },
  ),
  'components/post/line.json': {
    pluginOptions: { mangrove: { storage: { fields: { by: 'by.$id', all: 'all.$id' } } } },
    attributes: {
      text: { type: 'string' },
      by: relation('oneToOne', 'author'),
      all: relation('oneToMany', 'author'),
    },
  },
};

const author = (n: number): DBRef => new DBRef('authors', SHOP(n));
const topic = (n: number): DBRef => new DBRef('topics', n as never);
const POSTS: readonly Document[] = [
  {
    _id: SHOP(101),
    title: 'first',
    author: author(1),
    crew: [author(2), author(3)],
    meta: { topic: topic(10) },
    about: author(3),
    lines: [{ text: 'a', by: author(2), all: [author(1), author(3)] }],
  },
  {
    _id: SHOP(102),
    title: 'second',
    author: author(2),
    crew: [author(2)],
    meta: { topic: topic(20) },
    about: new DBRef('topics', SHOP(900)),
    lines: [{ text: 'b', by: author(3) }, { text: 'c' }],
  },
  { _id: SHOP(103), title: 'gone', author: author(99), crew: [], meta: {}, lines: [] },
  { _id: SHOP(104), title: 'odd', author: 'text', crew: 5, meta: 'x', lines: 'x' },
  { _id: SHOP(105), title: 'missing' },
];

describe('relations that are stored as DBRefs', () => {
  const { server, data, titles } = postsServer(FILES, POSTS);

  it('are populated, in lists and inside components', async () => {
    const posts = await data(
      '/api/posts?populate[author]=true&populate[crew]=true&populate[topic]=true&populate[aboutAuthor]=true&populate[lines][populate]=*',
    );
    expect(posts.map(({ author: one }) => nameOf(one))).to.deep.equal(['Ada', 'Bob', null, null, null]);
    expect(posts.map(({ crew }) => pluck(crew, 'name'))).to.deep.equal([['Bob', 'Cyd'], ['Bob'], [], [], []]);
    expect(posts.slice(0, 3).map((post) => nameOf(post['topic']))).to.deep.equal([
      'topic 10',
      'topic 20',
      null,
    ]);
    expect(posts.slice(0, 3).map(({ aboutAuthor }) => nameOf(aboutAuthor))).to.deep.equal([
      'Cyd',
      null,
      null,
    ]);
    const lines = posts.slice(0, 2).map((post) => post['lines'] as Entry[]);
    expect(lines.map((items) => items.map(({ by }) => nameOf(by)))).to.deep.equal([['Bob'], ['Cyd', null]]);
    expect(pluck(lines[0]?.[0]?.['all'], 'name')).to.deep.equal(['Ada', 'Cyd']);
    expect(
      (await server().get(`/api/posts/${SHOP(101).toHexString()}?populate=author`)).at('data.author.name'),
    ).to.equal('Ada');
  });

  it('are followed from their other side', async () => {
    const authors = await data('/api/authors?populate[posts][fields]=title&sort=name');
    expect(authors.map(({ posts }) => pluck(posts, 'title'))).to.deep.equal([['first'], ['second'], []]);
    expect(pluck(await data('/api/authors?filters[posts][title]=second'), 'name')).to.deep.equal(['Bob']);
    expect(pluck(await data('/api/authors?sort[0]=posts.title:desc&sort[1]=name'), 'name')).to.deep.equal([
      'Bob',
      'Ada',
      'Cyd',
    ]);
    expect(pluck(await data('/api/authors?filters[checked][title]=first&sort=name'), 'name')).to.deep.equal([
      'Bob',
      'Cyd',
    ]);
    if (!has('a foreign field within a list')) return;
    const checked = await data('/api/authors?populate[checked][fields]=title&sort=name');
    expect(checked.map(({ checked: of }) => pluck(of, 'title'))).to.deep.equal([
      [],
      ['first', 'second'],
      ['first'],
    ]);
  });

  it('are filtered and sorted through', async () => {
    expect(await titles('filters[author][name]=Ada')).to.deep.equal(['first']);
    expect(await titles(`filters[author][documentId]=${SHOP(2).toHexString()}`)).to.deep.equal(['second']);
    expect(await titles('filters[author][name][$null]=true&sort=title')).to.deep.equal([
      'gone',
      'missing',
      'odd',
    ]);
    expect(await titles('filters[crew][name]=Cyd')).to.deep.equal(['first']);
    expect(await titles('filters[topic][name]=topic 20')).to.deep.equal(['second']);
    expect(await titles('filters[lines][by][name]=Bob')).to.deep.equal(['first']);
    expect(await titles('filters[lines][all][name]=Cyd')).to.deep.equal(['first']);
    expect((await titles('sort[0]=author.name:desc&sort[1]=title')).slice(0, 2)).to.deep.equal([
      'second',
      'first',
    ]);
    expect((await titles('sort[0]=lines.by.name:desc&sort[1]=title'))[0]).to.equal('second');
    const { store } = server().project;
    const before = store.maxIds;
    Object.assign(store, { maxIds: 0 });
    try {
      expect(await titles('filters[author][name][$contains]=Ad')).to.deep.equal(['first']);
      expect(await titles('filters[crew][name][$contains]=Cy')).to.deep.equal(['first']);
      expect(await titles('filters[lines][by][name][$contains]=Cy')).to.deep.equal(['second']);
      expect(pluck(await data('/api/authors?filters[posts][title][$contains]=irs'), 'name')).to.deep.equal([
        'Ada',
      ]);
    } finally {
      Object.assign(store, { maxIds: before });
    }
  });

  it('are relations by _id only', async () => {
    const files = {
      'a/schema.json': adopted('a', { fields: { name: 'x.$id' } }, { name: { type: 'string' } }),
    };
    const refused = await startAdopted(files, {}).then(
      () => null,
      (error: Error) => error.message,
    );
    expect(refused).to.include('a path without $id, unless it is a relation by _id, not "x.$id"');
  });

  it('are written as DBRefs, and left unchanged where the relation does not change', async () => {
    const posts = server().project.store.db.collection('posts');
    const extra = { $ref: 'authors', $id: SHOP(2), note: 'kept' };
    await posts.insertOne({ _id: SHOP(200) as never, title: 'written', crew: [extra] });
    const at = `/api/posts/${SHOP(200).toHexString()}`;
    const stored = async (): Promise<Document> =>
      JSON.parse(JSON.stringify(await posts.findOne({ _id: SHOP(200) as never })));
    const ref = (n: number) => ({ $ref: 'authors', $id: SHOP(n).toHexString() });
    const put = async (change: object): Promise<Document> => {
      const answer = await server().sent(at, 'PUT', change);
      expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
      return stored();
    };
    expect(await put({ author: SHOP(3).toHexString(), topic: '10' })).to.deep.include({
      author: ref(3),
      meta: { topic: { $ref: 'topics', $id: 10 } },
    });
    expect((await put({ crew: { connect: [SHOP(1).toHexString()] } }))['crew']).to.deep.equal([
      { ...ref(2), note: 'kept' },
      ref(1),
    ]);
    expect((await put({ crew: { disconnect: [SHOP(2).toHexString()] } }))['crew']).to.deep.equal([ref(1)]);
    expect(await put({ author: null })).not.to.have.property('author');
    const lines = [{ text: 'n', by: SHOP(2).toHexString(), all: [SHOP(1).toHexString()] }];
    expect((await put({ lines }))['lines']).to.deep.equal([{ text: 'n', by: ref(2), all: [ref(1)] }]);
    const made = await server().sent('/api/posts', 'POST', { title: 'made', author: SHOP(1).toHexString() });
    const key = ObjectId.createFromHexString(String(made.at('data.documentId')));
    expect(JSON.parse(JSON.stringify(await posts.findOne({ _id: key as never })))['author']).to.deep.equal(
      ref(1),
    );
    expect((await server().sent(at, 'PUT', { author: SHOP(77).toHexString() })).status).to.equal(400);
    await posts.deleteMany({ _id: { $in: [SHOP(200), key] as never } });
  });
});

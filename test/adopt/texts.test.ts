/** Relations whose keys are strings on one side and ObjectIds or numbers on the other. */
import { expect } from 'chai';
import type { Entry } from '../../src/store/entries/changes.js';
import { adopted, nameOf, pluck, postsServer } from './posts.js';
import { relation, SHOP } from './shops.js';

const FILES = {
  'author/schema.json': adopted(
    'author',
    {},
    { name: { type: 'string' }, posts: relation('oneToMany', 'post', { mappedBy: 'author' }) },
  ),
  'topic/schema.json': adopted(
    'topic',
    { id: 'number' },
    { name: { type: 'string' }, posts: relation('manyToMany', 'post', { mappedBy: 'topics' }) },
  ),
  'post/schema.json': adopted(
    'post',
    { texts: ['author', 'topics'] },
    {
      title: { type: 'string' },
      author: relation('manyToOne', 'author', { inversedBy: 'posts' }),
      topics: relation('manyToMany', 'topic', { inversedBy: 'posts' }),
      lines: { type: 'component', component: 'post.line', repeatable: true },
    },
  ),
  'components/post/line.json': {
    pluginOptions: { mangrove: { storage: { texts: ['by', 'all'] } } },
    attributes: {
      text: { type: 'string' },
      by: relation('oneToOne', 'author'),
      all: relation('oneToMany', 'author'),
    },
  },
};

const hex = (n: number): string => SHOP(n).toHexString();
const POSTS = [
  { _id: SHOP(101), title: 'text', author: hex(1), topics: ['10', '20'], lines: [{ text: 'a', by: hex(2) }] },
  {
    _id: SHOP(102),
    title: 'native',
    author: SHOP(1),
    topics: [10],
    lines: [{ text: 'b', by: SHOP(3), all: [hex(1), SHOP(2)] }],
  },
  {
    _id: SHOP(103),
    title: 'none',
    author: 'nobody',
    topics: ['x', null, '010', 3.5],
    lines: [{ text: 'c', by: 12 }],
  },
  { _id: SHOP(104), title: 'missing', lines: [{ text: 'd' }] },
  { _id: SHOP(105), title: 'odd', author: { a: 1 }, topics: '20', lines: 'x' },
];

describe('relations by the string form of a key', () => {
  const { server, data, titles } = postsServer(FILES, POSTS);

  it('populates them, in both directions and inside components', async () => {
    const posts = await data(
      '/api/posts?populate[author]=true&populate[topics]=true&populate[lines][populate]=*',
    );
    expect(posts.map(({ author }) => nameOf(author))).to.deep.equal(['Ada', 'Ada', null, null, null]);
    expect(posts.map(({ topics }) => pluck(topics, 'id'))).to.deep.equal([
      ['10', '20'],
      ['10'],
      [],
      [],
      ['20'],
    ]);
    expect(
      posts.slice(0, 4).map(({ lines }) => (lines as Entry[]).map(({ by }) => nameOf(by))),
    ).to.deep.equal([['Bob'], ['Cyd'], [null], [null]]);
    expect(pluck((posts[1]?.['lines'] as Entry[] | undefined)?.[0]?.['all'], 'name')).to.deep.equal([
      'Ada',
      'Bob',
    ]);
    const authors = await data('/api/authors?populate[posts][fields]=title&sort=name');
    expect(authors.map(({ posts: of }) => pluck(of, 'title'))).to.deep.equal([['text', 'native'], [], []]);
    const topics = await data('/api/topics?populate[posts][sort]=title:desc&sort=id');
    expect(topics.map(({ posts: of }) => pluck(of, 'title'))).to.deep.equal([
      ['text', 'native'],
      ['text', 'odd'],
    ]);
    const counted = await data('/api/authors?populate[posts][count]=true&sort=name');
    expect(counted.map(({ posts: of }) => of)).to.deep.equal([{ count: 2 }, { count: 0 }, { count: 0 }]);
  });

  it('filters and sorts through them', async () => {
    expect(await titles('filters[author][name]=Ada')).to.deep.equal(['text', 'native']);
    expect(await titles(`filters[author][id]=${hex(1)}`)).to.deep.equal(['text', 'native']);
    expect(await titles('filters[author][name][$null]=true')).to.deep.equal(['none', 'missing', 'odd']);
    expect(await titles('filters[author][name][$ne]=Bob')).to.deep.equal(['text', 'native']);
    expect(await titles('filters[topics][name]=topic 20')).to.deep.equal(['text', 'odd']);
    expect(await titles('filters[lines][by][name]=Cyd')).to.deep.equal(['native']);
    expect(await titles('filters[lines][all][name]=Ada')).to.deep.equal(['native']);
    expect(pluck(await data('/api/authors?filters[posts][title]=text'), 'name')).to.deep.equal(['Ada']);
    expect(pluck(await data('/api/topics?filters[posts][title]=odd'), 'id')).to.deep.equal(['20']);
    expect((await titles('sort[0]=author.name:desc&sort[1]=title')).slice(0, 2)).to.deep.equal([
      'native',
      'text',
    ]);
    expect((await titles('sort[0]=lines.by.name:desc&sort[1]=title'))[0]).to.equal('native');
    expect(pluck(await data('/api/authors?sort[0]=posts.title:desc&sort[1]=name'), 'name')[0]).to.equal(
      'Ada',
    );
  });

  it('uses $lookup when there are too many to list', async () => {
    const { store } = server().project;
    const before = store.maxIds;
    Object.assign(store, { maxIds: 0 });
    try {
      expect(await titles('filters[author][name][$contains]=Ad')).to.deep.equal(['text', 'native']);
      expect(await titles('filters[lines][by][name][$contains]=Cy')).to.deep.equal(['native']);
      expect(pluck(await data('/api/authors?filters[posts][title][$contains]=ext'), 'name')).to.deep.equal([
        'Ada',
      ]);
    } finally {
      Object.assign(store, { maxIds: before });
    }
  });

  it('writes them in their stored form', async () => {
    const stored = async (title: string) => server().project.store.db.collection('posts').findOne({ title });
    for (const [title, id] of [
      ['text', 101],
      ['native', 102],
    ] as const) {
      const answer = await server().sent(`/api/posts/${hex(id)}`, 'PUT', { author: hex(2) });
      expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
      expect((await stored(title))?.['author']).to.deep.equal(title === 'text' ? hex(2) : SHOP(2));
      await server().sent(`/api/posts/${hex(id)}`, 'PUT', { author: hex(1) });
    }
    await server().sent('/api/posts', 'POST', { title: 'new', author: hex(3), topics: ['20'] });
    expect(await stored('new')).to.deep.include({ author: hex(3), topics: ['20'] });
    await server().project.store.db.collection('posts').deleteOne({ title: 'new' });
  });
});

/** Rules about types whose documents belong to other programs. */
import { expect } from 'chai';
import { send } from '../support/send.js';
import { startTestServer } from '../support/test-server.js';
import { adopted } from './posts.js';
import { type AdoptedServer, SHOP, startAdopted } from './shops.js';

const POST = 'api::post.post';
const NOTE = 'api::note.note';
const TEXT = { type: 'string' };
const to = (relation: string, name: string, more: object = {}) => ({
  type: 'relation',
  relation,
  target: `api::${name}.${name}`,
  ...more,
});

const FILES = {
  'post/schema.json': adopted(
    'post',
    { id: 'any', fields: { owner: 'meta.owner' } },
    {
      title: TEXT,
      owner: TEXT,
      secret: TEXT,
      link: to('manyToOne', 'post', { inversedBy: 'linked' }),
      linked: to('oneToMany', 'post', { mappedBy: 'link' }),
      notes: to('oneToMany', 'note', { mappedBy: 'post' }),
    },
  ),
  'memo/schema.json': adopted('memo', { drafts: true }, { title: TEXT, owner: TEXT }),
  'note/schema.json': {
    kind: 'collectionType',
    info: { singularName: 'note', pluralName: 'notes', displayName: 'note' },
    attributes: { text: TEXT, post: to('manyToOne', 'post', { inversedBy: 'notes' }) },
  },
};

const MINE = { owner: 'me' };
const READS = ['find', 'findOne'].map((action) => ({
  action: `${POST}.${action}`,
  where: MINE,
  fields: ['title', 'link', 'linked', 'notes'],
}));
const MEMO = 'api::memo.memo';
const PERMISSIONS = [
  ...READS,
  ...['update', 'delete'].map((action) => ({ action: `${POST}.${action}`, where: MINE })),
  { action: `${POST}.create`, where: MINE },
  ...['find', 'findOne', 'update', 'delete', 'publish', 'unpublish', 'discardDraft'].map((action) => ({
    action: `${MEMO}.${action}`,
    where: MINE,
  })),
  ...['find', 'findOne', 'create'].map((action) => `${NOTE}.${action}`),
];

describe('adopted collections: rules', () => {
  let server: AdoptedServer;
  let token: string;
  before(async () => {
    server = await startAdopted(FILES, {
      posts: [
        { _id: SHOP(1), title: 'a', meta: { owner: 'me' }, secret: 'x', link: SHOP(2) },
        { _id: SHOP(2), title: 'b', meta: { owner: 'you' }, secret: 'y', link: SHOP(1) },
        { _id: SHOP(3), title: 'c', meta: { owner: 'me' }, link: SHOP(1) },
        // No owner, or several, of which one is meant.
        { _id: SHOP(4), title: 'd' },
        { _id: SHOP(5), title: 'e', meta: { owner: ['you', 'me'] } },
      ],
      memos: [
        { _id: SHOP(1), title: 'a', owner: 'me' },
        { _id: SHOP(2), title: 'b', owner: 'you' },
      ],
    });
    const { tokens } = server.project.access;
    token = (await tokens.create({ name: 'mine', type: 'custom', permissions: PERMISSIONS })).key;
  });
  after(() => server?.close());

  const ask = (path: string, method = 'GET', data?: object) =>
    send(server.url, `/api${path}`, { token, method, ...(data && { body: { data } }) });
  const id = (at: number): string => SHOP(at).toHexString();
  const titles = async (path: string): Promise<unknown> =>
    ((await ask(path)).at('data') as { title: string }[]).map(({ title }) => title);

  it('are part of what is read, in lists, totals, single documents and relations', async () => {
    const list = await ask('/posts?populate=*&sort=title');
    expect(list.at('data')).to.deep.equal([
      {
        id: id(1),
        documentId: id(1),
        title: 'a',
        link: null,
        linked: [{ id: id(3), documentId: id(3), title: 'c' }],
        notes: [],
      },
      {
        id: id(3),
        documentId: id(3),
        title: 'c',
        link: { id: id(1), documentId: id(1), title: 'a' },
        linked: [],
        notes: [],
      },
      { id: id(5), documentId: id(5), title: 'e', link: null, linked: [], notes: [] },
    ]);
    expect(list.at('meta.pagination.total')).to.equal(3);
    expect((await ask(`/posts/${id(2)}`)).status).to.equal(404);
    expect(await titles('/posts?filters[link][title]=b')).to.deep.equal([]);
    expect(await titles('/posts?_q=x')).to.deep.equal([]);
    expect((await ask('/posts?filters[secret]=x')).status).to.equal(400);
    expect((await ask('/posts?sort=owner')).status).to.equal(400);
  });

  it('relations lead only to documents that the caller may read', async () => {
    expect((await ask('/notes', 'POST', { text: 'n', post: id(1) })).status).to.equal(201);
    const [hidden, missing] = await Promise.all(
      [id(2), id(99)].map((post) => ask('/notes', 'POST', { text: 'n', post })),
    );
    expect(hidden?.status).to.equal(400);
    expect(JSON.stringify(hidden?.body).replaceAll(id(2), '')).to.equal(
      JSON.stringify(missing?.body).replaceAll(id(99), ''),
    );
  });

  it('a document that is changed must match before and after, and a new one too', async () => {
    const stored = () => server.project.store.db.collection('posts').find().sort({ _id: 1 }).toArray();
    const before = await stored();
    for (const refused of [
      await ask(`/posts/${id(2)}`, 'PUT', { title: 'z' }),
      await ask(`/posts/${id(99)}`, 'PUT', { title: 'z' }),
      await ask(`/posts/${id(2)}`, 'DELETE'),
      await ask(`/posts/${id(1)}`, 'PUT', { owner: 'you' }),
      await ask('/posts', 'POST', { title: 'z', owner: 'you' }),
      await ask('/posts', 'POST', { title: 'z' }),
    ])
      expect([refused.status, refused.at('error.details.code')]).to.deep.equal([403, 'rule-refused']);
    expect(await stored()).to.deep.equal(before);
    expect((await ask(`/posts/${id(1)}`, 'PUT', { title: 'a2' })).at('data.title')).to.equal('a2');
    expect((await ask(`/posts/${id(5)}`, 'PUT', { title: 'e2' })).at('data.title')).to.equal('e2');
    const made = await ask('/posts', 'POST', { title: 'new', owner: 'me' });
    expect(made.status).to.equal(201);
    expect((await ask(`/posts/${made.at('data.documentId')}`, 'DELETE')).status).to.equal(204);
  });

  it('each version that an action changes must match', async () => {
    const act = (at: number, action: string) => ask(`/memos/${id(at)}/${action}`, 'POST');
    for (const action of ['publish', 'unpublish', 'discard-draft'])
      expect((await act(2, action)).status, action).to.equal(403);
    expect((await ask(`/memos/${id(2)}?status=draft`, 'PUT', { title: 'z' })).status).to.equal(403);
    expect((await ask(`/memos/${id(1)}?status=draft`, 'PUT', { owner: 'you' })).status).to.equal(403);
    expect((await ask(`/memos/${id(1)}?status=draft`, 'PUT', { title: 'a2' })).status).to.equal(200);
    // Another program takes the published document away from the caller; its draft has that, too.
    const memos = server.project.store.db.collection('memos');
    await memos.updateOne({ _id: SHOP(1) as never }, { $set: { owner: 'you' } });
    expect((await act(1, 'publish')).status).to.equal(403);
    expect((await ask(`/memos/${id(1)}`, 'DELETE')).status).to.equal(403);
    await memos.updateOne({ _id: SHOP(1) as never }, { $set: { owner: 'me' } });
    expect((await act(1, 'publish')).at('data.title')).to.equal('a2');
    expect((await act(1, 'unpublish')).status).to.equal(200);
    expect((await ask(`/memos/${id(1)}`)).status).to.equal(404);
    expect((await ask(`/memos/${id(1)}`, 'DELETE')).status).to.equal(204);
  });

  it('hold at the door of Strapi 4 clients, where a number is the key of a document', async () => {
    const { db } = server.project.store;
    await db.collection('posts').insertMany([
      { _id: 7 as never, title: 'seven', meta: { owner: 'me' } },
      { _id: 8 as never, title: 'eight', meta: { owner: 'you' } },
    ]);
    const older = await startTestServer(
      { rest: { compat: 'v4' } },
      { beside: server, schemaFolder: server.schemaFolder },
    );
    const title = async (key: string) =>
      (await send(older.url, `/api/posts/${key}`, { token })).at('data.attributes.title');
    expect(await title('7')).to.equal('seven');
    expect(await title('8')).to.equal(undefined);
    expect(await title(id(3))).to.equal('c');
    expect(await title(id(2))).to.equal(undefined);
    await older.close();
  });
});

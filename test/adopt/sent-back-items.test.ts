/** Items that a client sends back as a response showed them, without ids, and without what was not populated. */
import { expect } from 'chai';
import { adopted } from './posts.js';
import { type AdoptedServer, relation, SHOP, startAdopted } from './shops.js';

const component = (attributes: object, storage: object = { id: '_id' }): object => ({
  info: { displayName: 'Part' },
  pluginOptions: { mangrove: { storage } },
  attributes,
});
const TEXT = { type: 'string' };

const FILES = {
  'post/schema.json': adopted(
    'post',
    {},
    { title: TEXT, comments: { type: 'component', component: 'post.comment', repeatable: true } },
  ),
  'components/post/comment.json': component({
    text: TEXT,
    author: relation('oneToOne', 'post'),
    replies: { type: 'component', component: 'post.reply', repeatable: true },
  }),
  'components/post/reply.json': component({
    text: TEXT,
    place: { type: 'component', component: 'post.place' },
  }),
  'components/post/place.json': component({ city: TEXT }, {}),
};

const REPLIES = [
  { _id: SHOP(20), text: 'r', place: { city: 'Rome' }, theirs: 2 },
  { _id: SHOP(21), text: 's' },
];
const COMMENTS = [
  { _id: SHOP(10), text: 'same', theirs: 1, author: SHOP(1), replies: REPLIES },
  { _id: SHOP(11), text: 'same', author: SHOP(1), replies: [] },
  { _id: SHOP(12), text: 'other' },
];
const POST = { _id: SHOP(1), title: 'a', comments: COMMENTS };

describe('adopted collections: items that are sent back', () => {
  let server: AdoptedServer;
  before(async () => {
    server = await startAdopted(FILES, { posts: [POST] });
  });
  after(() => server?.close());

  const path = `/api/posts/${SHOP(1).toHexString()}`;
  const stored = () => server.project.store.db.collection('posts').findOne({ _id: SHOP(1) });
  const storedComments = async () => Object((await stored())?.['comments']) as Record<string, unknown>[];

  for (const populate of ['comments', '*', 'comments.replies', 'comments.author', 'comments.replies.place'])
    it(`stay as they are stored (populate=${populate})`, async () => {
      const { comments } = (await server.get(`${path}?populate=${populate}`)).at('data') as typeof POST;
      expect((await server.sent(path, 'PUT', { comments })).status).to.equal(200);
      expect(await stored()).to.deep.equal(POST);
    });

  it('are moved and removed as a whole, beside a new one', async () => {
    const [first, , last] = (await server.get(`${path}?populate=comments`)).at('data.comments') as object[];
    await server.sent(path, 'PUT', { comments: [last, { text: 'new' }, first] });
    const [other, made, same] = await storedComments();
    expect([other, same]).to.deep.equal([COMMENTS[2], COMMENTS[0]]);
    expect(made).to.have.all.keys('_id', 'text');
  });

  it('change if they leave out what they give as empty', async () => {
    await server.sent(path, 'PUT', { comments: [{ text: 'same', replies: [], author: null }] });
    const [comment] = await storedComments();
    expect(comment).to.have.all.keys('_id', 'text');
  });
});

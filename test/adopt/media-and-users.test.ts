/** Adopted types, files and users that refer to each other, in both directions. */
import { expect } from 'chai';
import type { Entry } from '../../src/store/entries/changes.js';
import { send } from '../support/send.js';
import { type AdoptedServer, SHOP, startAdopted } from './shops.js';

const USER = 'plugin::users-permissions.user';
const FILES = {
  'book/schema.json': {
    kind: 'collectionType',
    info: { singularName: 'book', pluralName: 'books', displayName: 'Book' },
    pluginOptions: {
      mangrove: { storage: { write: true, fields: { cover: 'art.cover', readers: 'reader_ids' } } },
    },
    attributes: {
      title: { type: 'string' },
      cover: { type: 'media', allowedTypes: ['images'] },
      scans: { type: 'media', multiple: true },
      owner: { type: 'relation', relation: 'manyToOne', target: USER, inversedBy: 'books' },
      readers: { type: 'relation', relation: 'manyToMany', target: USER },
      parts: { type: 'component', component: 'book.part', repeatable: true },
    },
  },
  'components/book/part.json': {
    pluginOptions: { mangrove: { storage: {} } },
    attributes: { name: { type: 'string' }, scan: { type: 'media' } },
  },
  'extensions/users-permissions/content-types/user/schema.json': {
    kind: 'collectionType',
    info: { singularName: 'user', pluralName: 'users', displayName: 'User' },
    attributes: {
      books: { type: 'relation', relation: 'oneToMany', target: 'api::book.book', mappedBy: 'owner' },
      favourite: { type: 'relation', relation: 'manyToOne', target: 'api::book.book' },
      shelf: { type: 'relation', relation: 'manyToMany', target: 'api::book.book' },
    },
  },
};
const BOOKS = [1, 2, 3].map((n) => ({ _id: SHOP(n), title: `Book ${n}`, theirs: n }));

describe('adopted types with media and users', () => {
  let server: AdoptedServer;
  const files: Entry[] = [];
  const users: Entry[] = [];
  before(async () => {
    server = await startAdopted(FILES, { books: BOOKS });
    for (const name of ['one.txt', 'two.txt', 'three.txt']) files.push({ ...(await upload(name)) });
    for (const username of ['ada', 'bob'])
      users.push({
        ...(await server.project.documents(USER).create({
          data: { username, email: `${username}@example.com`, password: 'Passw0rd-long', provider: 'local' },
        })),
      });
  });
  after(() => server?.close());

  async function upload(name: string): Promise<Entry> {
    const form = new FormData();
    form.append('files', new Blob([`text of ${name}`], { type: 'text/plain' }), name);
    const { key } = await server.project.access.tokens.create({ name, type: 'full-access' });
    const answer = await fetch(`${server.url}/api/upload`, {
      method: 'POST',
      body: form,
      headers: { authorization: `Bearer ${key}` },
    });
    const [file] = (await answer.json()) as Entry[];
    expect(answer.status, JSON.stringify(file)).to.equal(201);
    return file ?? {};
  }
  const data = async (path: string): Promise<Entry[]> => {
    const answer = await server.get(path);
    expect(answer.status, `${path} ${JSON.stringify(answer.body)}`).to.equal(200);
    return (answer.at('data') ?? answer.body) as Entry[];
  };
  const pluck = (list: unknown, name: string) => (list as Entry[]).map((each) => each[name]);
  const book = (n: number) => `/api/books/${SHOP(n).toHexString()}`;
  const stored = (n: number) => server.project.store.db.collection('books').findOne({ _id: SHOP(n) });
  const put = async (n: number, body: object) => {
    const answer = await server.sent(`${book(n)}?populate=*`, 'PUT', body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer;
  };

  it('write, populate, filter and sort by files', async () => {
    const [one, two, three] = files;
    await put(1, {
      cover: null,
      scans: [two?.['id'], one?.['id']],
      parts: [{ name: 'p', scan: three?.['id'] }],
    });
    await put(2, { scans: { connect: [{ documentId: three?.['documentId'] }] } });
    const refused = await server.sent(book(1), 'PUT', { cover: one?.['id'] });
    expect([refused.status, refused.at('error.name')]).to.deep.equal([400, 'ValidationError']);
    expect((await stored(1))?.['theirs']).to.equal(1);
    const shown = await data(`${book(1)}?populate[scans]=true&populate[parts][populate]=scan`);
    expect(pluck((shown as unknown as Entry)['scans'], 'name')).to.deep.equal(['two.txt', 'one.txt']);
    expect(shown).to.have.nested.property('parts[0].scan.name', 'three.txt');
    const titles = async (query: string) => pluck(await data(`/api/books?${query}`), 'title');
    expect(await titles('filters[scans][name]=three.txt')).to.deep.equal(['Book 2']);
    expect(await titles('filters[parts][scan][name][$startsWith]=thr')).to.deep.equal(['Book 1']);
    expect(await titles('filters[scans][name][$null]=true')).to.deep.equal(['Book 3']);
    expect((await titles('sort[0]=scans.name:desc&sort[1]=title')).slice(0, 2)).to.deep.equal([
      'Book 1',
      'Book 2',
    ]);
    const related = await data(`/api/upload/files/${two?.['id']}?populate=related`);
    expect(related).to.have.nested.property('related[0].title', 'Book 1');
    await put(1, { scans: [] });
    expect((await stored(1))?.['scans']).to.deep.equal([]);
  });

  it('write, populate, filter and sort by users', async () => {
    const [ada, bob] = users;
    await put(1, { owner: ada?.['documentId'], readers: [ada?.['id'], bob?.['id']] });
    await put(2, { owner: { connect: [bob?.['documentId']] } });
    const [first] = await data(
      '/api/books?populate[owner][fields]=username&populate[readers]=true&sort=title',
    );
    expect(first).to.have.nested.property('owner.username', 'ada');
    expect(pluck(first?.['readers'], 'username')).to.deep.equal(['ada', 'bob']);
    expect(JSON.stringify(first)).to.not.contain('password');
    const titles = async (query: string) => pluck(await data(`/api/books?${query}`), 'title');
    expect(await titles('filters[owner][username]=bob')).to.deep.equal(['Book 2']);
    expect(await titles('filters[readers][email][$contains]=bob@')).to.deep.equal(['Book 1']);
    expect((await titles('sort[0]=owner.username:desc&sort[1]=title'))[0]).to.equal('Book 2');
    const refused = await server.get('/api/books?filters[owner][password][$null]=false');
    expect(refused.status).to.equal(400);
  });

  it('are populated from users, whichever side stores the relation', async () => {
    const [ada, bob] = users;
    await put(3, { owner: ada?.['documentId'] });
    const changed = await server.project.documents(USER).update({
      documentId: String(bob?.['documentId']),
      data: { favourite: SHOP(3).toHexString(), shelf: [SHOP(2).toHexString(), SHOP(1).toHexString()] },
    });
    expect(changed).to.not.equal(null);
    const shown = (await data('/api/users?populate=*&sort=username')) as Entry[];
    expect(pluck(shown[0]?.['books'], 'title')).to.include('Book 3');
    expect(shown[1]).to.have.nested.property('favourite.title', 'Book 3');
    expect(pluck(shown[1]?.['shelf'], 'title')).to.deep.equal(['Book 2', 'Book 1']);
    const names = async (query: string) => pluck(await data(`/api/users?${query}`), 'username');
    expect(await names('filters[favourite][title]=Book 3')).to.deep.equal(['bob']);
    expect(await names('filters[books][title]=Book 3')).to.deep.equal(['ada']);
    expect(await names('filters[shelf][title][$in][0]=Book 1')).to.deep.equal(['bob']);
    expect(await names('sort=favourite.title:desc')).to.deep.equal(['bob', 'ada']);
    const login = await send(server.url, '/api/auth/local', {
      method: 'POST',
      body: { identifier: 'bob', password: 'Passw0rd-long' },
    });
    expect(login.status, JSON.stringify(login.body)).to.equal(200);
  });
});

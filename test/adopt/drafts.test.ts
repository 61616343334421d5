/**
 * Drafts in a collection of Mangrove's own next to the collection of another program, which is written only when
 * publishing.
 */
import { setTimeout } from 'node:timers/promises';
import { type Document, Double, Int32 } from 'bson';
import { expect } from 'chai';
import type { Entry } from '../../src/store/entries/changes.js';
import { type AdoptedServer, relation, SHOP, startAdopted } from './shops.js';

const adopted = (name: string, storage: object, attributes: object): object => ({
  kind: 'collectionType',
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  pluginOptions: { mangrove: { storage: { collection: `${name}s`, ...storage } } },
  attributes,
});

const FILES = {
  'page/schema.json': adopted(
    'page',
    {
      write: true,
      drafts: true,
      fields: { zip: 'address.zip', publishedAt: 'meta.live', author: 'author_no' },
      lists: ['tags'],
    },
    {
      title: { type: 'string', required: true, minLength: 2 },
      rank: { type: 'integer' },
      zip: { type: 'string' },
      tags: { type: 'string' },
      parts: { type: 'component', component: 'page.part', repeatable: true },
      author: relation('manyToOne', 'author', { inversedBy: 'pages' }),
      cover: { type: 'media' },
      notes: relation('oneToMany', 'note', { mappedBy: 'page' }),
      editors: relation('manyToMany', 'author'),
    },
  ),
  'issue/schema.json': adopted(
    'issue',
    { write: true, drafts: true, id: 'number', fields: { lead: 'names.0.text' }, lists: ['marks'] },
    { title: { type: 'string' }, lead: { type: 'string' }, marks: { type: 'string' } },
  ),
  'author/schema.json': adopted(
    'author',
    { id: 'number' },
    { name: { type: 'string' }, pages: relation('oneToMany', 'page', { mappedBy: 'author' }) },
  ),
  'note/schema.json': {
    kind: 'collectionType',
    info: { singularName: 'note', pluralName: 'notes', displayName: 'note' },
    options: { draftAndPublish: true },
    attributes: {
      text: { type: 'string' },
      page: relation('manyToOne', 'page', { inversedBy: 'notes' }),
      pages: relation('manyToMany', 'page'),
    },
  },
  'components/page/part.json': {
    pluginOptions: { mangrove: { storage: {} } },
    attributes: { text: { type: 'string' } },
  },
};

const PAGES = [1, 2, 3, 4].map((n) => ({
  _id: SHOP(n),
  title: `Page ${n}`,
  rank: n,
  address: { zip: `${n}0`, city: 'Rome' },
  author_no: n % 2,
  tags: ['a', `t${n}`],
  parts: [{ text: `p${n}`, theirs: true }],
  meta: { live: new Date('2020-01-01T00:00:00.000Z') },
  theirs: n,
}));
const AUTHORS = [
  { _id: 0, name: 'Ada' },
  { _id: 1, name: 'Bob' },
] as unknown as readonly Document[];

const COLLECTIONS = [
  ...['pages', 'authors', 'issues', 'notes', 'notes.drafts'],
  ...['mangrove.drafts.page.page', 'mangrove.drafts.issue.issue'],
];

describe('drafts of an adopted collection', () => {
  let server: AdoptedServer;
  before(async () => {
    server = await startAdopted(FILES, {});
  });
  after(() => server?.close());

  const collection = (name: string) => server.project.store.db.collection(name);
  const drafts = () => collection('mangrove.drafts.page.page');
  const stored = async (n: number) => collection('pages').findOne({ _id: SHOP(n) });
  const service = (uid = 'api::page.page') => server.project.documents(uid);
  const id = (n: number) => SHOP(n).toHexString();
  beforeEach(async () => {
    for (const name of COLLECTIONS) await collection(name).deleteMany({});
    await collection('pages').insertMany(PAGES.map((page) => ({ ...page })) as never);
    await collection('authors').insertMany(AUTHORS.map((author) => ({ ...author })));
  });
  const data = async (path: string): Promise<Entry[]> => {
    const answer = await server.get(path);
    expect(answer.status, `${path} ${JSON.stringify(answer.body)}`).to.equal(200);
    return answer.at('data') as Entry[];
  };
  const titles = async (query: string) => (await data(`/api/pages?${query}`)).map(({ title }) => title);
  const put = async (n: number, body: object, query = '?status=draft') => {
    const answer = await server.sent(`/api/pages/${id(n)}${query}`, 'PUT', body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.at('data') as Entry;
  };
  const publish = (n: number) => service().publish?.({ documentId: id(n) });

  it('saves a draft without touching the original document, and publishes only the paths that it changes', async () => {
    const before = await stored(1);
    const shown = await put(1, { title: 'Draft 1', zip: '99', rank: null });
    expect([shown['title'], shown['publishedAt'], shown['rank']]).to.deep.equal(['Draft 1', null, null]);
    expect(await stored(1)).to.deep.equal(before);
    expect(await titles('sort=title')).to.deep.equal(['Page 1', 'Page 2', 'Page 3', 'Page 4']);
    expect(await titles('sort=title&status=draft')).to.deep.equal(['Draft 1', 'Page 2', 'Page 3', 'Page 4']);

    // Changes that others make meanwhile are kept, and show through in fields that the draft does not change.
    await collection('pages').updateOne({ _id: SHOP(1) }, { $set: { theirs: 'new', tags: ['z'] } });
    await put(1, { parts: [{ text: 'mine' }] });
    expect((await service().findOne({ documentId: id(1), status: 'draft' }))?.['tags']).to.deep.equal(['z']);
    const published = await publish(1);
    expect(published?.entries.map(({ title }) => title)).to.deep.equal(['Draft 1']);
    const after = await stored(1);
    expect(after?.['meta'].live).to.be.greaterThan(new Date('2020-01-02'));
    expect({ ...after, meta: null }).to.deep.equal({
      _id: SHOP(1),
      title: 'Draft 1',
      address: { zip: '99', city: 'Rome' },
      author_no: 1,
      tags: ['z'],
      parts: [{ text: 'mine' }],
      meta: null,
      theirs: 'new',
    });
    expect(await drafts().countDocuments()).to.equal(0);
    expect(await titles('status=draft&sort=title')).to.include('Draft 1');
  });

  it('creates drafts that are not in the adopted collection until they are published, under the same key', async () => {
    const made = await service().create({ data: { title: 'New', tags: ['x'] } });
    const documentId = String(made['documentId']);
    expect(await collection('pages').countDocuments()).to.equal(4);
    expect((await server.get(`/api/pages/${documentId}`)).status).to.equal(404);
    const draft = await server.get(`/api/pages/${documentId}?status=draft`);
    expect(draft.at('data.title')).to.equal('New');
    await service().publish?.({ documentId });
    const live = await collection('pages').findOne({ title: 'New' });
    expect(live).to.have.all.keys('_id', 'title', 'tags', 'meta');
    expect(String(live?._id)).to.equal(documentId);
    const both = await server.sent('/api/pages', 'POST', { title: 'At once' });
    expect([both.status, typeof both.at('data.publishedAt')]).to.deep.equal([201, 'string']);
    expect(await collection('pages').countDocuments({ title: 'At once' })).to.equal(1);
    expect(await drafts().countDocuments()).to.equal(0);
  });

  it('validates everything when publishing, and only the changes when saving a draft', async () => {
    await put(2, { title: 'x' });
    const refused = await publish(2)?.catch((error: unknown) => error);
    expect(refused).to.have.property('code', 'fields-not-valid');
    expect((await stored(2))?.['title']).to.equal('Page 2');
    const unfinished = await service().create({ data: { rank: 1 } });
    expect(
      await service()
        .publish?.({ documentId: String(unfinished['documentId']) })
        .catch(({ code }) => code),
    ).to.equal('fields-not-valid');
    // Another program wrote a rank that the schema rejects.
    await collection('pages').updateOne({ _id: SHOP(3) }, { $set: { rank: 'high' } });
    await put(3, { zip: '7' });
    await publish(3);
    expect((await stored(3))?.['address']).to.deep.equal({ zip: '7', city: 'Rome' });
  });

  it('unpublishes into a draft, discards drafts, and deletes both', async () => {
    await put(1, { title: 'Draft 1' });
    await put(2, { title: 'Draft 2' });
    await service().unpublish?.({ documentId: id(1) });
    expect(await stored(1)).to.equal(null);
    expect(await titles('sort=title')).to.deep.equal(['Page 2', 'Page 3', 'Page 4']);
    expect(await titles('status=draft&sort=title')).to.deep.equal(['Draft 1', 'Draft 2', 'Page 3', 'Page 4']);
    await service().discardDraft?.({ documentId: id(2) });
    expect(await titles('status=draft&sort=title')).to.deep.equal(['Draft 1', 'Page 2', 'Page 3', 'Page 4']);
    await publish(1);
    expect(await stored(1)).to.deep.include({ title: 'Draft 1', theirs: 1 });
    await put(1, { title: 'Again' });
    expect((await server.sent(`/api/pages/${id(1)}`, 'DELETE')).status).to.equal(204);
    expect([await stored(1), await drafts().countDocuments()]).to.deep.equal([null, 0]);
    const gone = await service().create({ data: { title: 'Gone' } });
    await service().discardDraft?.({ documentId: String(gone['documentId']) });
    expect(await service().findOne({ documentId: String(gone['documentId']), status: 'draft' })).to.equal(
      null,
    );
    for (const method of ['publish', 'unpublish', 'discardDraft'] as const)
      expect((await service()[method]?.({ documentId: id(77) }))?.entries).to.deep.equal([]);
  });

  it('filters, sorts, paginates and counts drafts and documents without one as a single list', async () => {
    await put(2, { title: 'Zeta', rank: 9 });
    await put(4, { rank: null, author: null });
    await service().create({ data: { title: 'New', rank: 3, author: '0' } });
    const list = async (query: string) => {
      const answer = await server.get(`/api/pages?status=draft&${query}`);
      expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
      return [(answer.at('data') as Entry[]).map(({ title }) => title), answer.at('meta.pagination.total')];
    };
    expect(await list('sort=rank:desc')).to.deep.equal([['Zeta', 'Page 3', 'New', 'Page 1', 'Page 4'], 5]);
    expect(await list('sort=rank&pagination[pageSize]=2&pagination[page]=2')).to.deep.equal([
      ['Page 3', 'New'],
      5,
    ]);
    expect(await list('filters[rank][$eq]=2')).to.deep.equal([[], 0]);
    expect(await list('filters[rank][$gte]=3&sort=title')).to.deep.equal([['New', 'Page 3', 'Zeta'], 3]);
    expect(await list('filters[author][name]=Ada&sort=title')).to.deep.equal([['New', 'Zeta'], 2]);
    expect(await list('filters[author][name][$null]=true')).to.deep.equal([['Page 4'], 1]);
    expect(await list('sort[0]=author.name:desc&sort[1]=title')).to.deep.equal([
      ['Page 1', 'Page 3', 'New', 'Zeta', 'Page 4'],
      5,
    ]);
    expect(await list('filters[parts][text]=p2')).to.deep.equal([['Zeta'], 1]);
    expect(await list('_q=zet')).to.deep.equal([['Zeta'], 1]);
    expect(await list('filters[publishedAt][$null]=true')).to.have.nested.property('[1]', 5);
    expect(await list('filters[publishedAt][$gt]=2019-01-01')).to.deep.equal([[], 0]);
    const populated = await data(`/api/pages/${id(2)}?status=draft&populate=*`);
    expect(populated).to.have.nested.property('author.name', 'Ada');
    expect(populated).to.have.nested.property('parts[0].text', 'p2');
  });

  it('populates relations with drafts, in one order, and filters and sorts through them', async () => {
    await put(3, { title: 'Alpha', author: '0' });
    await put(2, { title: 'Zeta' });
    await service().create({ data: { title: 'New', author: '0' } });
    const authors = async (query: string) =>
      (await data(`/api/authors?${query}`)).map(({ name, pages }) => [
        name,
        Array.isArray(pages) ? pages.map((page: Entry) => page['title']) : pages,
      ]);
    expect(await authors('populate[pages][sort]=title&sort=name')).to.deep.equal([
      ['Ada', ['Page 2', 'Page 4']],
      ['Bob', ['Page 1', 'Page 3']],
    ]);
    expect(await authors('populate[pages][sort]=title&sort=name&status=draft')).to.deep.equal([
      ['Ada', ['Alpha', 'New', 'Page 4', 'Zeta']],
      ['Bob', ['Page 1']],
    ]);
    expect(await authors('populate[pages][sort]=rank:desc&sort=name&status=draft')).to.deep.equal([
      ['Ada', ['Page 4', 'Alpha', 'Zeta', 'New']],
      ['Bob', ['Page 1']],
    ]);
    expect(await authors('populate[pages][count]=true&sort=name&status=draft')).to.deep.equal([
      ['Ada', { count: 4 }],
      ['Bob', { count: 1 }],
    ]);
    // An author has no versions, so its pages count as drafts and as published ones.
    const withPages = async (filters: string) =>
      (await authors(`status=draft&sort=name&filters[pages]${filters}`)).map(([name]) => name);
    expect(await withPages('[title]=Page 2')).to.deep.equal(['Ada']);
    expect(await withPages('[publishedAt][$null]=true')).to.deep.equal(['Ada', 'Bob']);
    expect(await withPages('[publishedAt][$notNull]=true')).to.deep.equal(['Ada', 'Bob']);
    expect(
      await authors('populate[pages][filters][title][$startsWith]=Page&sort=name&status=draft'),
    ).to.deep.equal([
      ['Ada', ['Page 4']],
      ['Bob', ['Page 1']],
    ]);

    const note = await service('api::note.note').create({
      data: { text: 'n', page: id(2), pages: [id(3), id(1), id(2)] },
    });
    await service('api::note.note').create({ data: { text: 'm', page: id(1) }, status: 'published' });
    const [one] = await data(`/api/notes?status=draft&filters[text]=n&populate=*`);
    expect([one?.['page'], one?.['pages']]).to.have.nested.property('[0].title', 'Zeta');
    expect((one?.['pages'] as Entry[] | undefined)?.map(({ title }) => title)).to.deep.equal([
      'Alpha',
      'Page 1',
      'Zeta',
    ]);
    const texts = async (query: string) => (await data(`/api/notes?${query}`)).map(({ text }) => text);
    expect(await texts('status=draft&filters[page][title]=Zeta')).to.deep.equal(['n']);
    expect(await texts('status=draft&filters[page][title]=Page 2')).to.deep.equal([]);
    expect(await texts('status=draft&sort=page.title')).to.deep.equal(['m', 'n']);
    expect(await texts('status=draft&sort=page.title:desc')).to.deep.equal(['n', 'm']);
    await service('api::note.note').publish?.({ documentId: String(note['documentId']) });
    expect(await texts('filters[page][title]=Zeta')).to.deep.equal([]);
    expect(await texts('filters[page][title]=Page 2')).to.deep.equal(['n']);
    const [page] = await data('/api/pages?status=draft&filters[title]=Zeta&populate=notes');
    expect((page?.['notes'] as Entry[] | undefined)?.map(({ text }) => text)).to.deep.equal(['n']);
  });

  it('finds modified and unmodified documents by publicationFilter', async () => {
    await put(2, { title: 'Zeta' });
    await service().create({ data: { title: 'New' } });
    const by = async (filter: string, status: string) =>
      titles(`publicationFilter=${filter}&status=${status}&sort=title`);
    const rows: readonly (readonly [string, readonly string[], readonly string[]])[] = [
      ['never-published', ['New'], []],
      ['modified', ['Zeta'], ['Page 2']],
      ['unmodified', ['Page 1', 'Page 3', 'Page 4'], ['Page 1', 'Page 3', 'Page 4']],
      [
        'has-published-version',
        ['Page 1', 'Page 3', 'Page 4', 'Zeta'],
        ['Page 1', 'Page 2', 'Page 3', 'Page 4'],
      ],
      ['published-without-draft', [], []],
      ['published-with-draft', [], ['Page 1', 'Page 2', 'Page 3', 'Page 4']],
    ];
    for (const [filter, draft, published] of rows) {
      expect(await by(filter, 'draft'), `${filter} draft`).to.deep.equal(draft);
      expect(await by(filter, 'published'), `${filter} published`).to.deep.equal(published);
    }
  });

  it('lists where a file is shown: in drafts, and in published documents', async () => {
    const form = new FormData();
    form.append('files', new Blob(['text'], { type: 'text/plain' }), 'cover.txt');
    const { key } = await server.project.access.tokens.create({ name: 'cover', type: 'full-access' });
    const headers = { authorization: `Bearer ${key}` };
    const sent = await fetch(`${server.url}/api/upload`, { method: 'POST', body: form, headers });
    const [file] = (await sent.json()) as Entry[];
    await collection('pages').updateMany({ rank: { $lt: 3 } }, { $set: { cover: file?.['documentId'] } });
    await put(2, { title: 'Zeta' });
    const answer = await server.get(`/api/upload/files/${file?.['id']}?populate=related`);
    const shown = (answer.at('related') as Entry[]).map(({ title, publishedAt }) => [
      title,
      publishedAt === null,
    ]);
    // An unmodified document is its own draft, as in Strapi.
    expect(shown).to.deep.equal([
      ['Page 1', true],
      ['Zeta', true],
      ['Page 1', false],
      ['Page 2', false],
    ]);
  });

  it('numbers drafts and published documents together', async () => {
    const issues = service('api::issue.issue');
    const keys: unknown[] = [];
    for (const title of ['a', 'b', 'c']) keys.push((await issues.create({ data: { title } }))['documentId']);
    expect(keys).to.deep.equal(['1', '2', '3']);
  });

  it('publishes a path into a list, directly and from a draft', async () => {
    const issues = service('api::issue.issue');
    const stored = { _id: 7 as never, title: 'a', names: [{ text: 'x', theirs: 1 }, { text: 'y' }] };
    await collection('issues').insertOne(stored);
    const names = async () => (await collection('issues').findOne({ _id: 7 as never }))?.['names'];
    await issues.update({ documentId: '7', data: { lead: 'draft' } });
    expect(await names()).to.deep.equal(stored.names);
    await issues.publish?.({ documentId: '7' });
    expect(await names()).to.deep.equal([{ text: 'draft', theirs: 1 }, { text: 'y' }]);
    await issues.update({ documentId: '7', data: { lead: 'direct' }, status: 'published' });
    expect(await names()).to.deep.equal([{ text: 'direct', theirs: 1 }, { text: 'y' }]);
  });

  it('preserves the BSON types of what it publishes', async () => {
    await collection('pages').updateOne(
      { _id: SHOP(1) },
      { $set: { rank: new Double(1), big: new Int32(2) } },
    );
    await put(1, { rank: 5 });
    await publish(1);
    const after = await collection('pages').findOne({ _id: SHOP(1) }, { promoteValues: false });
    expect([after?.['rank'], after?.['big']]).to.deep.equal([new Double(5), new Int32(2)]);
  });

  it('keeps what another program adds to a list while a change of it is published', async () => {
    for (let round = 0; round < 20; round++) {
      await collection('pages').updateOne({ _id: SHOP(1) }, { $unset: { editors: '' } });
      await Promise.all([
        put(1, { editors: { connect: ['0'] } }, '?status=published'),
        setTimeout(round).then(() =>
          collection('pages').updateOne({ _id: SHOP(1) }, { $push: { editors: 1 } as never }),
        ),
      ]);
      const kept: unknown[] = (await stored(1))?.['editors'];
      expect(kept.map(Number).sort(), `round ${round}`).to.deep.equal([0, 1]);
    }
  });

  it('loses nothing when two clients save at once', async () => {
    await Promise.all([put(1, { title: 'Both' }), put(1, { rank: 77 }), put(1, { zip: '1' })]);
    const draft = await data(`/api/pages/${id(1)}?status=draft`);
    expect(draft).to.deep.include({ title: 'Both', rank: 77, zip: '1' });
    await Promise.all([publish(1), put(1, { rank: 78 })]);
    await publish(1);
    expect(await stored(1)).to.deep.include({ title: 'Both', rank: 78 });
  });

  it('survive the removal of the document by another program', async () => {
    await put(1, { title: 'Kept' });
    await collection('pages').deleteOne({ _id: SHOP(1) });
    expect(await titles('status=draft&sort=title')).to.include('Kept');
    await publish(1);
    expect(await stored(1)).to.deep.include({ title: 'Kept', theirs: 1 });
  });

  it('refuses a draft of a path through a missing parent', async () => {
    await collection('pages').updateOne({ _id: SHOP(1) }, { $set: { address: [{ zip: '1' }] } });
    const answer = await server.sent(`/api/pages/${id(1)}?status=draft`, 'PUT', { zip: '2' });
    expect([answer.status, answer.at('error.details.code')]).to.deep.equal([400, 'write-refused']);
  });
});

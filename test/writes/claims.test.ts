import { Decimal128, Long, ObjectId } from 'bson';
import { expect } from 'chai';
import { digest } from '../../src/documents/claims/digest.js';
import { searchClaims } from '../../src/documents/claims/search-claims.js';
import { openStore } from '../../src/store/client.js';
import { type TestDocuments, testDocuments } from '../support/documents.js';
import { componentFile, schemaOf, typeFile } from '../support/schemas.js';
import { type Answer, commandOf, startProxy } from '../support/wire-proxy.js';

const THING = 'api::thing.thing';
const TARGET = 'api::target.target';
const schema = schemaOf(
  componentFile('part.code', { code: { type: 'string', unique: true } }),
  componentFile('part.item', {
    label: { type: 'string', unique: true },
    children: { type: 'component', component: 'part.item', repeatable: true },
  }),
  typeFile('menu', { items: { type: 'component', component: 'part.item', repeatable: true } }),
  typeFile(
    'thing',
    {
      slug: { type: 'uid' },
      codes: { type: 'component', component: 'part.code', repeatable: true },
      street: { type: 'string' },
      number: { type: 'integer' },
      state: { type: 'enumeration', enum: ['new', 'old'], unique: true },
      flag: { type: 'boolean', unique: true },
      more: { type: 'json', unique: true },
      target: { type: 'relation', relation: 'oneToOne', target: TARGET, inversedBy: 'thing' },
    },
    {
      draftAndPublish: true,
      file: { indexes: [{ name: 'address', columns: ['street', 'number'], type: 'unique' }] },
    },
  ),
  typeFile(
    'target',
    { thing: { type: 'relation', relation: 'oneToOne', target: THING, mappedBy: 'target' } },
    { draftAndPublish: true },
  ),
);

describe('claims', () => {
  let opened: TestDocuments;
  before(async () => {
    opened = await testDocuments(schema);
  });
  after(() => opened?.close());
  beforeEach(async () => {
    for (const name of ['things', 'things.drafts', 'targets', 'targets.drafts', 'menus', 'mangrove.claims'])
      await opened.store.db.collection(name).deleteMany({});
  });

  it('are made at every level of a component that contains itself', async () => {
    const MENU = 'api::menu.menu';
    const item = (label: string, ...children: object[]) => ({ label, children });
    await make({ items: [item('one', item('two', item('three')))] }, 'published', MENU);
    expect(await refusal(make({ items: [item('four', item('three'))] }, 'published', MENU))).to.deep.equal(
      [],
    );
    expect(await refusal(make({ items: [item('five', item('two'))] }, 'published', MENU))).to.deep.equal(
      taken('items.0.children.0.label'),
    );
  });

  const things = () => opened.documents(THING);
  const make = async (data: object, status = 'published', uid = THING): Promise<string> =>
    String((await opened.documents(uid).create({ data, status }))['documentId']);
  const refusal = (call: Promise<unknown>): Promise<string[]> =>
    call.then(
      () => [],
      ({ status, details }) =>
        details.errors.map(({ path, message }: { path: string[]; message: string }) =>
          [status, path.join('.'), message].join(' '),
        ),
    );
  const taken = (...paths: string[]) => paths.map((path) => `400 ${path} This attribute must be unique`);
  const claims = async (): Promise<string[]> =>
    (await opened.store.db.collection<{ _id: string; owner: string }>('mangrove.claims').find().toArray())
      .map(({ _id, owner }) => `${_id.split('/')[1]} ${owner}`)
      .sort();

  it('are not made of enumerations, booleans and JSON: Strapi never checks these', async () => {
    const data = { state: 'new', flag: true, more: { a: 1 } };
    for (const slug of ['one', 'two']) expect(await refusal(make({ ...data, slug }))).to.eql([]);
    expect(await opened.documents(THING).count({ filters: { state: 'new', flag: true } })).to.equal(2);
  });

  it('belong to the published version, and are released with it', async () => {
    const target = await make({}, 'published', TARGET);
    const data = { slug: 'a', codes: [{ code: 'x' }, { code: 'y' }], street: 's', number: 1, target };
    const documentId = await make(data);
    const all = ['codes.code', 'codes.code', 'slug', 'street+number', 'target', 'target'];
    expect(await claims()).to.deep.equal(all.map((name) => `${name} ${documentId}`));
    await things().update({ documentId, data: { slug: 'b', codes: [{ code: 'y' }], number: null } });
    expect(await claims(), 'a draft').to.have.length(6);
    await things().publish?.({ documentId });
    expect(await claims()).to.deep.equal(
      ['codes.code', 'slug', 'target', 'target'].map((name) => `${name} ${documentId}`),
    );
    const other = await make({ slug: 'a', codes: [{ code: 'x' }], street: 's', number: 1 });
    await things().unpublish?.({ documentId });
    expect((await claims()).filter((claim) => claim.endsWith(documentId))).to.deep.equal([
      `target ${documentId}`,
    ]);
    await things().delete({ documentId });
    await things().delete({ documentId: other });
    expect(await claims()).to.deep.equal([]);
  });

  it('attributes that a schema makes unique together conflict in published entries if none of them is null', async () => {
    await make({ street: 's', number: 1 });
    expect(await refusal(make({ street: 's', number: 1 }))).to.deep.equal(taken('street', 'number'));
    expect(await refusal(make({ street: 's', number: 2 }))).to.deep.equal([]);
    for (let times = 0; times < 2; times++)
      expect(await refusal(make({ street: 's', number: null }))).to.deep.equal([]);
    expect(await refusal(make({ street: 's', number: 1 }, 'draft'))).to.deep.equal([]);
  });

  it("a value of another entry is refused, an entry's own value is not", async () => {
    const documentId = await make({ slug: 'a', codes: [{ code: 'x' }] });
    const other = await make({ slug: 'b', codes: [{ code: 'y' }] });
    const update = (data: object) => refusal(things().update({ documentId, data, status: 'published' }));
    expect(await update({ slug: 'b', codes: [{ code: 'y' }] })).to.deep.equal(taken('slug', 'codes.0.code'));
    expect(await update({ slug: 'a', codes: [{ code: 'x' }] })).to.deep.equal([]);
    await things().update({ documentId: other, data: { slug: 'c' }, status: 'published' });
    expect(await update({ slug: 'b' })).to.deep.equal([]);
  });

  it('of a document whose entries another program removed are taken over', async () => {
    const documentId = await make({ slug: 'a', codes: [{ code: 'x' }] });
    expect(await refusal(make({ codes: [{ code: 'x' }] }))).to.deep.equal(taken('codes.0.code'));
    for (const name of ['things', 'things.drafts'])
      await opened.store.db.collection(name).deleteMany({ documentId });
    const next = await make({ slug: 'a', codes: [{ code: 'x' }] });
    expect(await claims()).to.deep.equal([`codes.code ${next}`, `slug ${next}`]);
  });

  it('are made at startup for entries that have none', async () => {
    const documentId = await make({ slug: 'a', codes: [{ code: 'x' }] });
    await opened.store.db.collection('mangrove.claims').deleteMany({});
    await opened.store.db.collection<{ _id: string }>('mangrove.settings').deleteMany({ _id: /^claims\// });
    for (let times = 0; times < 2; times++) {
      await searchClaims(opened.store, schema);
      expect(await claims()).to.deep.equal([`codes.code ${documentId}`, `slug ${documentId}`]);
    }
    expect(await refusal(make({ codes: [{ code: 'x' }] }))).to.deep.equal(taken('codes.0.code'));
    await things().update({ documentId, data: { codes: [] }, status: 'published' });
    expect(await refusal(make({ codes: [{ code: 'x' }] }))).to.deep.equal([]);
  });

  it('are made again by the first start after a restart of a standalone server, which may have lost them', async () => {
    const documentId = await make({ slug: 'a' });
    let process = new ObjectId();
    const standalone = ({ setName, ...hello }: Answer): Answer => ({
      ...hello,
      topologyVersion: { processId: process, counter: Long.ZERO },
    });
    const proxy = await startProxy(opened.uri, (message) =>
      commandOf(message) === 'hello' ? standalone : 0,
    );
    const store = await openStore({ uri: `${proxy.uri}&serverMonitoringMode=poll`, name: opened.name });
    try {
      await searchClaims(store, schema);
      await opened.store.db.collection('mangrove.claims').deleteMany({});
      await searchClaims(store, schema);
      expect(await claims(), 'the same server').to.deep.equal([]);
      process = new ObjectId();
      await searchClaims(store, schema);
      expect(await claims(), 'after a restart').to.deep.equal([`slug ${documentId}`]);
    } finally {
      await store.close();
      await proxy.close();
    }
  });

  it('can be released even if one is missing', async () => {
    const documentId = await make({ slug: 'a' });
    await opened.store.db.collection('mangrove.claims').deleteMany({});
    await things().update({ documentId, data: { slug: 'b' }, status: 'published' });
    expect(await claims()).to.deep.equal([`slug ${documentId}`]);
    await things().delete({ documentId });
    expect(await claims()).to.deep.equal([]);
  });

  it('treat numbers as equal exactly when MongoDB does', () => {
    const same = [1.5, Decimal128.fromString('1.50'), Decimal128.fromString('15E-1')];
    expect(new Set(same.map((value) => digest([value]))).size).to.equal(1);
    expect(digest([5])).to.equal(digest([Long.fromString('5')]));
    expect(digest([0])).to.equal(digest([-0]));
    const values = [
      1,
      '1',
      true,
      'true',
      10,
      0.1,
      -1,
      'a',
      'A',
      '',
      new Date(1),
      0,
      Decimal128.fromString('1E+2'),
    ];
    expect(new Set(values.map((value) => digest([value]))).size).to.equal(values.length);
    expect(digest(['a', 'b'])).not.to.equal(digest(['ab']));
  });
});

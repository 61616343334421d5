import { Long } from 'bson';
import { expect } from 'chai';
import type { Document } from 'mongodb';
import { shardPlan } from '../../src/describe/shard-plan.js';
import { messageOf } from '../../src/events/events.js';
import { openStore } from '../../src/store/client.js';
import { ABILITIES, examine } from '../../src/store/doctor/doctor.js';
import type { Finding } from '../../src/store/doctor/finding.js';
import { ensureIndexes } from '../../src/store/indexes/sync.js';
import { type TestStore, testStore } from '../support/engine.js';
import { schemaOf, typeFile } from '../support/schemas.js';
import { commandOf, startProxy } from '../support/wire-proxy.js';

const toOne = { type: 'relation', relation: 'manyToOne', target: 'api::writer.writer' };
const schema = schemaOf(
  typeFile('book', { writer: toOne }, { draftAndPublish: true }),
  typeFile('writer', { name: { type: 'string' } }),
);

describe('mangrove doctor', () => {
  let test: TestStore;
  before(async () => {
    test = await testStore();
    await ensureIndexes(test.store, schema);
  });
  after(() => test.close());
  const about = async (what: string): Promise<readonly Finding[]> =>
    (await examine(test.store, schema)).filter((finding) => finding.about === what);

  it('finds no problems in an empty database', async () => {
    const problems = (await examine(test.store, schema)).filter(({ level }) => level === 'problem');
    expect(problems).to.deep.equal([]);
  });

  it('finds references without a target, and published entries without a draft', async () => {
    const { db } = test.store;
    await db.collection('writers').insertOne({ id: 1, documentId: 'w1', locale: null });
    const entry = (n: number, writer: string) => ({ id: n, documentId: `b${n}`, locale: null, writer });
    await db.collection('books.drafts').insertMany([entry(1, 'w1'), entry(2, 'gone')]);
    await db.collection('books').insertOne(entry(3, 'w1'));
    expect((await about('orphans'))[0]?.text).to.include('api::book.book writer (1)');
    expect((await about('half-written'))[0]?.text).to.include(
      'api::book.book: 1 published entries have no draft',
    );
  });

  it('finds references without a target from and into adopted collections', async () => {
    const storage = (more: object) => ({ file: { pluginOptions: { mangrove: { storage: more } } } });
    const mixed = schemaOf(
      typeFile('note', { shop: { ...toOne, target: 'api::shop.shop' } }),
      typeFile(
        'shop',
        {
          owner: { ...toOne, target: 'api::person.person' },
          staff: { ...toOne, relation: 'manyToMany', target: 'api::person.person' },
          author: { ...toOne, target: 'api::person.person' },
          badge: { ...toOne, target: 'api::person.person' },
        },
        storage({
          fields: { owner: 'of.no', author: 'by.$id' },
          texts: ['staff'],
          references: { badge: 'badge' },
        }),
      ),
      typeFile('person', { badge: { type: 'string' } }, storage({ id: 'any', write: true, drafts: true })),
    );
    const { db } = test.store;
    await db.collection('notes').insertMany([
      { id: 1, documentId: 'n1', locale: null, shop: 's1' },
      { id: 2, documentId: 'n2', locale: null, shop: 's9' },
    ]);
    await db.collection<Document & { _id: string }>('shops').insertMany([
      { _id: 's1', of: { no: 1 }, staff: ['1', 2, '3', null], by: { $ref: 'persons', $id: 1 }, badge: 'x' },
      { _id: 's2', of: [{ no: 2 }, { no: 8 }], staff: '9', by: { $ref: 'persons', $id: 7 } },
      { _id: 's3', of: 'unknown' },
    ]);
    await db.collection<Document & { _id: number }>('persons').insertMany([{ _id: 1 }, { _id: 2 }]);
    await db.collection<Document & { _id: number }>('mangrove.drafts.person.person').insertOne({ _id: 3 });
    const found = (await examine(test.store, mixed)).filter((finding) => finding.about === 'orphans');
    expect(found.map(({ event }) => event)).to.deep.equal([
      {
        name: 'references-dangling',
        attributes: [
          'api::note.note shop (1)',
          'api::shop.shop owner (1)',
          'api::shop.shop staff (1)',
          'api::shop.shop author (1)',
        ],
      },
      { name: 'references-not-examined', attributes: ['api::shop.shop badge'] },
    ]);
  });

  it('counts the writes of the journal that are not complete, and not their outcomes', async () => {
    const journal = test.store.db.collection<{ _id: string }>('mangrove.journal');
    await journal.insertOne({ _id: 'w1/outcome' });
    expect((await about('half-written')).map(({ event }) => event.name)).to.not.include('writes-incomplete');
    await journal.insertMany([{ _id: 'w2', steps: [] } as { _id: string }, { _id: 'w2/0/before' }]);
    expect((await about('half-written')).map(({ event }) => event)).to.deep.include({
      name: 'writes-incomplete',
      count: 1,
    });
    await journal.deleteMany({});
  });

  it('does not blame permissions if the server cannot join sharded collections', async () => {
    const proxy = await startProxy(test.uri, (message) =>
      message.includes('$lookup') ? { ok: 0, code: 28769, errmsg: 'cannot be sharded' } : 0,
    );
    const store = await openStore({ uri: proxy.uri, name: test.name });
    const found = (await examine(store, schema)).filter((finding) => finding.about === 'orphans');
    await store.close();
    await proxy.close();
    expect(found.map(({ advice }) => advice)).to.deep.equal(['Upgrade to 6.0 or newer to have it examined']);
  });

  it('also examines the server of the content, if it is another one', async () => {
    const proxy = await startProxy(test.uri, (message) =>
      commandOf(message) === 'buildInfo' ? { ok: 1, version: '4.4.1' } : 0,
    );
    const store = await openStore({
      uri: proxy.uri,
      name: test.name,
      system: { uri: test.uri, name: `${test.name}_system` },
    });
    const found = await examine(store, schema, ['version']);
    await store.close();
    await proxy.close();
    expect(found.map(({ event }) => event.name)).to.deep.equal(['database-version', 'database-too-old']);
  });

  it('looks for slow reads where the content is', async () => {
    let asked = 0;
    const proxy = await startProxy(test.uri, (message) => {
      if (commandOf(message) === 'buildInfo') return { ok: 1, version: '7.0.0' };
      if (commandOf(message) !== 'profile') return 0;
      asked += 1;
      return { ok: 1, was: 0 };
    });
    const store = await openStore({
      uri: proxy.uri,
      name: test.name,
      system: { uri: test.uri, name: `${test.name}_system` },
    });
    const found = await examine(store, schema, ['slow reads']);
    await store.close();
    await proxy.close();
    // The server of Mangrove's own collections may have a profiler, too.
    expect(found.map(({ event }) => event.name)).to.include('profiler-off');
    expect(asked).to.equal(1);
  });

  it('finds missing indexes', async () => {
    await test.store.db.collection('books').dropIndex('writer_1_id_1');
    expect((await about('indexes'))[0]).to.deep.include({
      level: 'problem',
      text: 'missing: books writer_1_id_1',
      advice: 'mangrove indexes sync',
      event: { name: 'indexes-missing', indexes: ['books writer_1_id_1'] },
    });
  });

  it('finds unique attributes of adopted collections that no index keeps unique', async () => {
    const lacking = schemaOf(
      typeFile(
        'card',
        { no: { type: 'string', unique: true }, pin: { type: 'integer', unique: true } },
        { file: { pluginOptions: { mangrove: { storage: { write: true, fields: { no: 'at.no' } } } } } },
      ),
    );
    const found = async () =>
      (await examine(test.store, lacking, ['indexes'])).filter(
        ({ event }) => event.name === 'unique-not-enforced',
      );
    expect((await found()).map(({ text }) => text)).to.deep.equal([
      'no unique index keeps these attributes unique: api::card.card no, api::card.card pin',
    ]);
    const { db } = test.store;
    await db.collection('cards').createIndex({ 'at.no': 1 }, { unique: true });
    await db.collection('cards').createIndex({ pin: 1 });
    expect((await found()).map(({ event }) => event)).to.deep.equal([
      { name: 'unique-not-enforced', attributes: ['api::card.card pin'] },
    ]);
    await db.collection('cards').createIndex({ pin: -1 }, { unique: true });
    expect(await found()).to.deep.equal([]);
  });

  it('reports events of the common table, each with its own message', async () => {
    const findings = await examine(test.store, schema);
    expect(findings.length).to.be.above(4);
    for (const { about, text, advice, event } of findings)
      expect(messageOf(event)).to.equal(
        [`database ${about}: ${text}`, ...(advice === null ? [] : [advice])].join('. '),
      );
  });
});

describe('mangrove doctor on a sharded cluster', () => {
  const sharded = schemaOf(typeFile('book', {}, { options: { shard: true } }));
  /** What a store reports about sharding if its server calls itself mongos, of this version. */
  const shardingOn = async (version: string, collections: object[] = []): Promise<readonly string[]> => {
    const test = await testStore();
    const listed = (database: string) => collections.map((each) => ({ _id: `${database}.books`, ...each }));
    const proxy = await startProxy(test.uri, (message) => {
      const command = commandOf(message);
      if (command === 'find' && message.includes('config'))
        return { ok: 1, cursor: { id: Long.ZERO, ns: 'config.collections', firstBatch: listed(test.name) } };
      if (!message.includes(test.name)) return 0;
      if (command === 'hello') return { ok: 1, isWritablePrimary: true, msg: 'isdbgrid', maxWireVersion: 13 };
      return command === 'buildInfo' ? { ok: 1, version } : 0;
    });
    const store = await openStore({ uri: proxy.uri, name: test.name });
    const findings = await examine(store, sharded, ABILITIES);
    await store.close();
    await proxy.close();
    await test.close();
    return findings.filter(({ about }) => about === 'sharding').map(({ level, text }) => `${level} ${text}`);
  };

  it('reports what a version cannot do, and what is not sharded yet', async () => {
    const missing = 'problem not sharded yet: books';
    expect(await shardingOn('5.0.7')).to.deep.equal([
      'problem MongoDB 5.0.7 cannot join sharded collections, so populating or sorting by api::book.book fails',
      missing,
    ]);
    expect(await shardingOn('6.0.1')).to.deep.equal([missing]);
  });

  it('reports a shard key that differs from the planned one', async () => {
    expect(await shardingOn('7.0.2', [{ key: { documentId: 1 } }])).to.deep.equal([
      'ok 1 content type is sharded',
    ]);
    expect(await shardingOn('7.0.2', [{ key: { documentId: 'hashed' } }])).to.deep.equal([
      'ok 1 content type is sharded',
    ]);
    expect(await shardingOn('7.0.2', [{ key: { id: 1 } }])).to.deep.equal([
      'problem books is sharded by id, not by documentId',
    ]);
  });
});

describe('mangrove shard plan', () => {
  const sharded = (shard: unknown): readonly string[] =>
    shardPlan(schemaOf(typeFile('page', {}, { localized: true, options: { shard } })), 'blog', ['en', 'fr']);

  it('has no output for types that are not meant to be sharded', () => {
    expect(shardPlan(schema, 'blog', ['en'])).to.deep.equal([]);
  });

  it('shards by document, with ranges split in advance', () => {
    const plan = sharded(true);
    expect(plan).to.include('sh.shardCollection("blog.pages", {"documentId":1});');
    expect(plan).to.include('sh.splitAt("blog.pages", { documentId: "m" });');
  });

  it('explains how to move empty ranges to other shards', () => {
    expect(sharded(true)).to.include(`// sh.moveChunk("blog.pages", { documentId: "m" }, '<shard>');`);
  });

  it('does not split by locale for a type without locales', () => {
    const plan = shardPlan(
      schemaOf(typeFile('page', {}, { options: { shard: { locale: 1, documentId: 1 } } })),
      'blog',
      ['en', 'fr'],
    ).join('\n');
    expect(plan).to.include('sh.splitAt("blog.pages", { locale: null, documentId: "m" });');
    expect(plan).to.not.include('"fr"');
  });

  it('shards by a custom key, with zones as an example', () => {
    const plan = sharded({ locale: 1, documentId: 1 });
    expect(plan).to.include('sh.splitAt("blog.pages", { locale: "fr", documentId: "m" });');
    expect(plan.join('\n')).to.include(
      'sh.updateZoneKeyRange("blog.pages", { locale: "fr", documentId: MinKey }',
    );
  });
});

import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { until } from '../../packages/engine/test/support/until.js';
import { explainUrl } from '../../src/describe/explain.js';
import { type Watching, watchAdopted } from '../../src/store/adopted/watch.js';
import { detectDeployment } from '../../src/store/connection/deployment.js';
import { startTestServer } from '../support/test-server.js';
import { startProxy } from '../support/wire-proxy.js';
import { type AdoptedServer, FILES, SHOP, schemaFolder, startShops } from './shops.js';

describe('changes that other programs make in their collections', () => {
  let server: AdoptedServer;
  before(async () => {
    server = await startShops();
  });
  after(() => server?.close());

  const shops = () => server.project.store.db.collection('shops');
  const nameOf = async (): Promise<unknown> =>
    (await server.get(`/api/shops/${SHOP(1).toHexString()}?fields=name`)).at('data.name');
  /** How many changes of a document are in the outbox. */
  const eventsOf = async (n: number): Promise<number> =>
    server.project.store.db
      .collection('mangrove.outbox')
      .countDocuments({ documentId: SHOP(n).toHexString() });
  const untilEvents = async (n: number): Promise<number> => {
    await until(
      async () => (await eventsOf(n)) > 0,
      () => `nothing of ${n}`,
    );
    return eventsOf(n);
  };

  it('are seen by the next request', async () => {
    expect(await nameOf()).to.equal('Alpha');
    await shops().updateOne({ _id: SHOP(1) as never }, { $set: { name: 'Changed' } });
    expect(await nameOf()).to.equal('Changed');
    await shops().insertOne({ _id: SHOP(30) as never, name: 'Later' });
    expect((await server.get('/api/shops')).at('meta.pagination.total')).to.equal(5);
    await shops().deleteOne({ _id: SHOP(30) as never });
    expect((await server.get('/api/shops')).at('meta.pagination.total')).to.equal(4);
  });

  it('are in the outbox once, however many processes watch, if the server has change streams', async () => {
    const { store, schema } = server.project;
    const errors: unknown[] = [];
    const watching: Watching[] = [];
    for (let number = 0; number < 2; number++)
      watching.push(await watchAdopted(store, schema, (error) => errors.push(error)));
    const events = () =>
      store.db.collection('mangrove.outbox').find({ uid: 'api::shop.shop' }).sort({ _id: 1 }).toArray();
    try {
      if ((await detectDeployment(store.db)) === 'standalone') {
        expect([...(watching[0]?.uids ?? [])]).to.deep.equal([]);
        return;
      }
      expect([...(watching[0]?.uids ?? [])]).to.include('api::shop.shop');
      await shops().insertOne({ _id: SHOP(40) as never, name: 'One' });
      await shops().updateOne({ _id: SHOP(40) as never }, { $set: { name: 'Two' } });
      await shops().deleteOne({ _id: SHOP(40) as never });
      await until(
        async () => (await events()).length >= 3,
        () => 'fewer than three events',
      );
      await sleep(200);
      expect((await events()).map(({ event, documentId }) => [event, documentId])).to.deep.equal([
        ['entry.create', SHOP(40).toHexString()],
        ['entry.update', SHOP(40).toHexString()],
        ['entry.delete', SHOP(40).toHexString()],
      ]);
      expect(errors).to.deep.equal([]);
    } finally {
      for (const watch of watching) await watch.close();
    }
  });

  it('are followed by one stream, since each holds a connection', async () => {
    if ((await detectDeployment(server.project.store.db)) === 'standalone') return;
    const names = Array.from({ length: 8 }, (_, n) => `kind${n}`);
    const file = (name: string) => ({
      kind: 'collectionType',
      info: { singularName: name, pluralName: `${name}s`, displayName: name },
      pluginOptions: { mangrove: { storage: { collection: name } } },
      attributes: { name: { type: 'string' } },
    });
    const files = Object.fromEntries(names.map((name) => [`${name}/schema.json`, file(name)]));
    let streams = 0;
    const proxy = await startProxy(server.project.databaseUri, (message) => {
      if (message.includes('$changeStream')) streams += 1;
      return 0;
    });
    const beside = await startTestServer(
      {},
      { databaseUri: proxy.uri, schemaFolder: await schemaFolder(files) },
    );
    const { store, schema } = beside.project;
    const watching = await watchAdopted(store, schema, () => undefined);
    const reported = async () => {
      const events = store.db.collection('mangrove.outbox').find({ uid: /kind/ });
      return (await events.toArray()).map(({ uid }) => String(uid)).sort();
    };
    try {
      await Promise.all(names.map((name) => store.db.collection(name).insertOne({ name })));
      await until(
        async () => (await reported()).length === names.length,
        () => names.length,
        { within: 20_000 },
      );
      expect(await reported()).to.deep.equal(names.map((name) => `api::${name}.${name}`));
      expect(streams).to.equal(1);
    } finally {
      await watching.close();
      await beside.close();
      await proxy.close();
    }
  });

  it('are followed from the last position after a stop, or from now on if the server no longer has it', async () => {
    const { store, schema } = server.project;
    if ((await detectDeployment(store.db)) === 'standalone') return;
    const errors: unknown[] = [];
    const first = await watchAdopted(store, schema, (error) => errors.push(error));
    await shops().insertOne({ _id: SHOP(50) as never });
    expect(await untilEvents(50)).to.equal(1);
    await first.close();
    await shops().insertOne({ _id: SHOP(51) as never });
    await sleep(300);
    expect(await eventsOf(51)).to.equal(0);
    const second = await watchAdopted(store, schema, (error) => errors.push(error));
    expect([await untilEvents(51), await eventsOf(50)]).to.deep.equal([1, 1]);
    await second.close();
    expect(errors).to.deep.equal([]);

    // The position is older than the server's history.
    const proxy = await startProxy(server.project.databaseUri, (message) =>
      message.includes('resumeAfter')
        ? { ok: 0, code: 286, codeName: 'ChangeStreamHistoryLost', errmsg: 'the resume point may be gone' }
        : 0,
    );
    const beside = await startTestServer(
      {},
      { beside: server, databaseUri: proxy.uri, schemaFolder: await schemaFolder(FILES) },
    );
    try {
      await shops().insertOne({ _id: SHOP(52) as never });
      const third = await watchAdopted(beside.project.store, schema, (error) => errors.push(error));
      expect(errors.map((error) => (error as { code?: unknown }).code)).to.include(286);
      await shops().insertOne({ _id: SHOP(53) as never });
      expect(await untilEvents(53)).to.equal(1);
      expect(await eventsOf(52)).to.equal(0);
      await third.close();
    } finally {
      await beside.close();
      await proxy.close();
      await shops().deleteMany({ _id: { $in: [50, 51, 52, 53].map(SHOP) } as never });
    }
  });

  it('are followed after all connections were cut, including those made meanwhile', async () => {
    if ((await detectDeployment(server.project.store.db)) === 'standalone') return;
    const proxy = await startProxy(server.project.databaseUri);
    const beside = await startTestServer(
      {},
      { beside: server, databaseUri: proxy.uri, schemaFolder: await schemaFolder(FILES) },
    );
    const watching = await watchAdopted(beside.project.store, beside.project.schema, () => undefined);
    try {
      for (const round of [60, 62, 64]) {
        await shops().insertOne({ _id: SHOP(round) as never });
        expect(await untilEvents(round)).to.equal(1);
        proxy.cutAll();
        await shops().insertOne({ _id: SHOP(round + 1) as never });
        expect(await untilEvents(round + 1)).to.equal(1);
      }
    } finally {
      await watching.close();
      await beside.close();
      await proxy.close();
      await shops().deleteMany({ _id: { $in: [60, 61, 62, 63, 64, 65].map(SHOP) } as never });
    }
  });

  const advice = async (query: string): Promise<readonly string[]> => {
    const { project } = server;
    const options = { ...project, prefix: '/api', caller: { grants: null } };
    return (await explainUrl(`/api/${query}`, options)).advice.map((text) =>
      text.replace(/^db\.getSiblingDB\("[^"]+"\)\.getCollection/, ''),
    );
  };

  it('explain proposes a missing index as the command that creates it', async () => {
    expect(await advice('shops?filters[zip]=1&sort=stars:desc')).to.deep.equal([
      '("shops").createIndex({"address.zip code":1,"stars":-1,"_id":1})',
    ]);
    expect(await advice('persons?populate=visits')).to.deep.equal(['("visits").createIndex({"badge":1})']);
    expect(await advice('shops?filters[owner][badge]=A-1')).to.deep.equal([
      '("shops").createIndex({"owner_no":1,"_id":1})',
      '("people").createIndex({"card.no":1})',
    ]);
    expect(await advice('shops')).to.deep.equal([]);
    expect(await advice(`shops/${SHOP(1).toHexString()}`)).to.deep.equal([]);
    await server.project.store.db.collection('visits').createIndex({ badge: 1 });
    expect(await advice('persons?populate=visits')).to.deep.equal([]);
  });
});

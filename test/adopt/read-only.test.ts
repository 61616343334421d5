/** A database user with the role `read`: the server is never asked for anything that the role does not allow. */
import { expect } from 'chai';
import { propose } from '../../src/adopt/propose.js';
import { collectionFacts, probe, sampleOf } from '../../src/store/adopted/inspect.js';
import { openStore } from '../../src/store/client.js';
import { type TestStore, testStore } from '../support/engine.js';
import { send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { commandOf, startProxy, type WireProxy } from '../support/wire-proxy.js';
import { FILES, PEOPLE, SHOP, SHOPS, schemaFolder, VISITS } from './shops.js';

/** What MongoDB allows the role `read` (manual, "Built-In Roles"), and what it allows everyone. */
const ALLOWED = new Set([
  ...['aggregate', 'count', 'distinct', 'find', 'getMore', 'killCursors', 'listCollections', 'listIndexes'],
  ...['collStats', 'dbStats', 'explain'],
  ...['hello', 'ismaster', 'isMaster', 'ping', 'buildInfo', 'buildinfo', 'endSessions', 'abortTransaction'],
  ...['saslStart', 'saslContinue', 'connectionStatus'],
]);

const { 'review/schema.json': _, ...THEIRS } = FILES;
const withoutOurs = (
  path: string,
  names: readonly string[],
  storage: object = {},
): Record<string, object> => {
  const file = FILES[path] as { attributes: object; pluginOptions: { mangrove: { storage: object } } };
  const kept = Object.entries(file.attributes).filter(([name]) => !names.includes(name));
  const own = { mangrove: { storage: { ...file.pluginOptions.mangrove.storage, ...storage } } };
  return { [path]: { ...file, pluginOptions: own, attributes: Object.fromEntries(kept) } };
};

describe('a read-only database user', () => {
  let theirs: TestStore;
  let proxy: WireProxy;
  let server: TestServer;
  let key: string;
  const refused: string[] = [];
  before(async () => {
    theirs = await testStore();
    proxy = await startProxy(theirs.uri, (message) => {
      const command = commandOf(message);
      if (command === null || ALLOWED.has(command)) return 0;
      refused.push(command);
      const errmsg = `not authorized to execute command ${command}`;
      return { ok: 0, code: 13, codeName: 'Unauthorized', errmsg };
    });
    server = await startTestServer(
      { database: { system: 'embedded' } },
      {
        databaseUri: proxy.uri,
        agreed: false,
        schemaFolder: await schemaFolder({
          ...THEIRS,
          ...withoutOurs('shop/schema.json', ['reviews', 'cover'], { write: true }),
        }),
      },
    );
    for (const [name, documents] of [
      ['shops', SHOPS],
      ['people', PEOPLE],
      ['visits', VISITS],
    ] as const)
      await db()
        .collection(name)
        .insertMany(documents.map((document) => ({ ...document })));
    key = (await server.project.access.tokens.create({ name: 'all', type: 'full-access' })).key;
  });
  after(async () => {
    await db().dropDatabase();
    await server?.close();
    await proxy?.close();
    await theirs?.close();
  });

  /** The same database, written with full privileges. */
  const db = () => theirs.store.client.db(server.project.store.content.name);
  const get = (path: string) => send(server.url, path, { token: key });

  it('is enough to serve reads, with accounts and tokens stored elsewhere', async () => {
    const list = await get('/api/shops?populate=*&sort=name&filters[owner][name]=Ada');
    expect(list.status, JSON.stringify(list.body)).to.equal(200);
    expect(list.at('data.0.name')).to.equal('Alpha');
    expect(list.at('data.0.visitors')).to.have.length(2);
    expect((await get(`/api/shops/${SHOP(2).toHexString()}`)).at('data.name')).to.equal('Beta');
    expect((await get('/api/persons?sort=visits.year:desc')).at('meta.pagination.total')).to.equal(3);
    const { roles } = server.project.access;
    const entry = await roles.byType('public');
    const grants = ['api::person.person.find', 'plugin::users-permissions.auth.register'];
    if (entry) await roles.change(entry.role, { grants });
    expect((await send(server.url, '/api/persons')).status).to.equal(200);
    const registered = await send(server.url, '/api/auth/local/register', {
      method: 'POST',
      body: { username: 'reader', email: 'reader@example.com', password: 'Passw0rd-long' },
    });
    expect(registered.status, JSON.stringify(registered.body)).to.equal(200);
    expect(refused).to.deep.equal([]);
    const names = await db().listCollections({}, { nameOnly: true }).toArray();
    expect(names.map(({ name }) => name).sort()).to.deep.equal(['people', 'shops', 'visits']);
  });

  it('is enough for mangrove adopt', async () => {
    const store = await openStore({ uri: proxy.uri, name: db().databaseName });
    const proposal = await propose({
      inspector: {
        facts: (wanted) => collectionFacts(store.db, wanted),
        sample: (facts) => sampleOf(store.db, facts),
        probe: (target, path, values) => probe(store.db, target, path, values),
      },
      database: null,
      collections: [],
      takenNames: new Set(),
      known: new Map(),
      own: new Set(),
    }).finally(() => store.close());
    expect(proposal.types.map(({ collection }) => collection)).to.deep.equal(['people', 'shops', 'visits']);
    expect(refused).to.deep.equal([]);
  });

  it('gets a 403 for writes', async () => {
    const answer = await send(server.url, `/api/shops/${SHOP(1).toHexString()}`, {
      token: key,
      method: 'PUT',
      body: { data: { name: 'New' } },
    });
    expect([answer.status, answer.at('error.details.code')]).to.deep.equal([403, 'collection-read-only']);
    expect(refused).to.deep.equal(['update']);
  });
});

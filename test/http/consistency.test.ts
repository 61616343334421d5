import { expect } from 'chai';
import { type Received, send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const actions = ['find', 'findOne', 'create', 'update'].map((action) => `api::category.category.${action}`);

describe('X-Consistency', () => {
  let server: TestServer;
  let other: TestServer;
  let clustered: boolean;
  before(async () => {
    server = await startTestServer({ roles: { public: actions } });
    other = await startTestServer({ roles: { public: actions } }, { beside: server });
    const hello = await server.project.store.db.command({ hello: 1 });
    clustered = hello['$clusterTime'] !== undefined && hello['operationTime'] !== undefined;
  });
  after(async () => {
    await other.close();
    await server.close();
  });
  const ask = (to: TestServer, token: string | null, body?: object): Promise<Received> =>
    send(to.url, '/api/categories', {
      ...(token !== null && { headers: { 'x-consistency': token } }),
      ...(body && { body }),
    });

  it('is absent unless requested', async () => {
    expect((await ask(server, null)).headers.get('x-consistency')).to.equal(null);
  });

  it('carries what was seen from process to process, if the database has a cluster time', async () => {
    let token = 'start';
    for (let n = 0; n < 3; n++) {
      const made = await ask(server, token, { data: { name: `category ${n}` } });
      expect(made.status).to.equal(201);
      const given = made.headers.get('x-consistency');
      expect(given !== null).to.equal(clustered);
      token = given ?? 'start';
      const read = await ask(other, token);
      expect(read.status).to.equal(200);
      expect(read.at('meta.pagination.total')).to.equal(n + 1);
      token = read.headers.get('x-consistency') ?? 'start';
    }
  });

  it('refuses a token that Mangrove did not issue', async () => {
    for (const token of ['x', 'A'.repeat(100), '$'])
      expect((await ask(server, token)).at('error.message')).to.equal(
        'Invalid X-Consistency header. Expected the value from an earlier response, or start',
      );
  });
});

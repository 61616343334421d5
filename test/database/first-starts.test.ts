import { expect } from 'chai';
import { startTestServer, type TestServer } from '../support/test-server.js';

/** Processes that share a database, such as the replicas of a deployment. */
const PROCESSES = 3;

describe('first starts of several processes', function () {
  this.timeout(120_000);
  let direct: TestServer;
  before(async () => {
    direct = await startTestServer();
  });
  after(() => direct.close());

  it('create the roles and locales of an empty database once', async () => {
    const { db } = direct.project.store;
    await db.dropDatabase();
    const starts = Array.from({ length: PROCESSES }, () => startTestServer(undefined, { beside: direct }));
    const started = await Promise.all(starts);
    for (const server of started) await server.close();
    const roles = await db.collection('mangrove.roles').distinct('type');
    expect(roles).to.include.members(['authenticated', 'public']);
    expect(await db.collection('mangrove.roles').countDocuments()).to.equal(roles.length);
    const codes = await db.collection('mangrove.locales').distinct('code');
    expect(codes).to.include('en');
    expect(await db.collection('mangrove.locales').countDocuments()).to.equal(codes.length);
  });
});

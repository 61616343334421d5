/** Headers of answers, and bodies that cannot be decoded. */
import { expect } from 'chai';
import { send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

describe('security: answers', function () {
  this.timeout(60_000);
  let server: TestServer;
  let token: string;
  before(async () => {
    server = await startTestServer({ roles: { public: ['api::restaurant.restaurant.find'] } });
    token = (await server.project.access.tokens.create({ name: 'full', type: 'full-access' })).key;
  });
  after(() => server.close());

  it('MANGROVE-16: what one caller may see is kept by no cache', async () => {
    const own = await send(server.url, '/api/restaurants', { token });
    expect(own.headers.get('cache-control')).to.equal('private, no-store');
    expect(own.headers.get('vary')).to.match(/authorization/i);
    const refused = [
      await send(server.url, '/api/restaurants', { token: 'nobody' }),
      await send(server.url, '/api/categories', { headers: { cookie: 'a=b' } }),
    ];
    expect(refused.map(({ status }) => status)).to.deep.equal([401, 403]);
    for (const { headers } of refused) {
      expect(headers.get('cache-control')).to.equal('private, no-store');
      expect(headers.get('vary')).to.match(/authorization/i);
    }
    const open = await send(server.url, '/api/restaurants');
    expect(open.headers.get('cache-control')).to.equal(null);
    expect(open.headers.get('vary')).to.match(/authorization/i);
  });

  it('MANGROVE-16: steps and their times are told only where the configuration says so', async () => {
    expect((await send(server.url, '/api/restaurants')).headers.get('server-timing')).to.equal(null);
    const timed = await startTestServer({
      server: { timing: true },
      roles: { public: ['api::restaurant.restaurant.find'] },
    });
    expect((await send(timed.url, '/api/restaurants')).headers.get('server-timing')).to.match(/total;dur=/);
    await timed.close();
  });

  for (const encoding of ['br', 'gzip', 'deflate', 'nonsense'])
    it(`MANGROVE-16: a body that is not ${encoding} though it says so is a 4xx`, async () => {
      const answer = await fetch(`${server.url}/api/restaurants`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'content-encoding': encoding,
          authorization: `Bearer ${token}`,
        },
        body: '{"data":{"name":"x"}}',
      });
      expect(answer.status).to.be.within(400, 415);
    });

  it('MANGROVE-16: the right to upload alone replaces nobody’s file', async () => {
    const { access } = server.project;
    const permissions = ['plugin::upload.content-api.upload'];
    const { key } = await access.tokens.create({ name: 'up', type: 'custom', permissions });
    const body = { fileInfo: { name: 'x.txt' } };
    expect((await send(server.url, '/api/upload?id=1', { token: key, body })).status).to.equal(403);
  });
});

/** Headers of responses, and bodies that cannot be decoded. */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

describe('security: responses', function () {
  this.timeout(180_000);
  let server: TestServer;
  let token: string;
  before(async () => {
    server = await startTestServer({ roles: { public: ['api::restaurant.restaurant.find'] } });
    token = (await server.project.access.tokens.create({ name: 'full', type: 'full-access' })).key;
  });
  after(() => server.close());

  it('MANGROVE-16: responses for one caller are not cached by proxies', async () => {
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

  it('MANGROVE-16: Server-Timing is sent only if configured', async () => {
    expect((await send(server.url, '/api/restaurants')).headers.get('server-timing')).to.equal(null);
    const timed = await startTestServer({
      server: { timing: true },
      roles: { public: ['api::restaurant.restaurant.find'] },
    });
    expect((await send(timed.url, '/api/restaurants')).headers.get('server-timing')).to.match(/total;dur=/);
    await timed.close();
  });

  for (const encoding of ['br', 'gzip', 'deflate', 'nonsense'])
    it(`MANGROVE-16: a body that is not ${encoding} but claims to be is a 4xx`, async () => {
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

  /** A POST without a length, then a GET on the same connection: the two statuses. */
  const twiceByOne = async (path: string, headers: Record<string, string>, body: Buffer) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const statusOf = async (method: string, to: string, sent?: Buffer): Promise<number> => {
      const outgoing = request(new URL(to, server.url), {
        agent,
        method,
        headers: sent ? { ...headers, authorization: `Bearer ${token}` } : {},
      });
      const responded = once(outgoing, 'response') as Promise<[IncomingMessage]>;
      for (let at = 0; sent && at < sent.length; at += 50_000) outgoing.write(sent.subarray(at, at + 50_000));
      outgoing.end();
      const [response] = await responded;
      await text(response);
      return Number(response.statusCode);
    };
    const statuses = [await statusOf('POST', path, body), await statusOf('GET', '/api/restaurants')];
    agent.destroy();
    return statuses;
  };

  it('MANGROVE-21: a body refused midway does not delay the next request on its connection', async () => {
    const json = { 'content-type': 'application/json' };
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const bomb = gzipSync(Buffer.alloc(200_000_000, ' '));
    const long = Buffer.alloc(3_000_000, ' ');
    const gzip = { 'content-encoding': 'gzip' };
    for (const [path, headers, body] of [
      ['/api/restaurants', { ...json, ...gzip }, bomb],
      ['/api/auth/local', { ...form, ...gzip }, bomb],
      ['/api/auth/local', json, long],
      ['/api/auth/local', form, long],
    ] as const)
      expect(await twiceByOne(path, headers, body), path).to.deep.equal([413, 200]);
    expect(await twiceByOne('/api/restaurants', { ...json, ...gzip }, long)).to.deep.equal([400, 200]);
    const parts = { 'content-type': 'multipart/form-data; boundary=x' };
    expect(await twiceByOne('/api/upload', parts, long)).to.deep.equal([400, 200]);
    const endless = Buffer.concat([
      Buffer.from('--x\r\nContent-Disposition: form-data; name="fileInfo"\r\n\r\n'),
      long,
    ]);
    const [refused, next] = await twiceByOne('/api/upload', parts, endless);
    expect(refused).to.be.within(400, 413);
    expect(next).to.equal(200);
  });

  it('MANGROVE-16: the upload grant alone replaces nobody’s file', async () => {
    const { access } = server.project;
    const permissions = ['plugin::upload.content-api.upload'];
    const { key } = await access.tokens.create({ name: 'up', type: 'custom', permissions });
    const body = { fileInfo: { name: 'x.txt' } };
    expect((await send(server.url, '/api/upload?id=1', { token: key, body })).status).to.equal(403);
  });
});

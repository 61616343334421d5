/** `npm run bench:strapi`: the requests that it makes for a type, and a run against two servers. */

import { once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { compare, type Row } from '../../scripts/bench/strapi/compare.js';
import { requestsOf } from '../../scripts/bench/strapi/requests.js';

const ENTRIES = [
  { id: 1, documentId: 'a', title: 'Tea & cake', body: 'A long text about it', stars: 5, publishedAt: 'x' },
  { id: 2, documentId: 'b', title: null, body: 'Another long text', stars: 4, publishedAt: 'x' },
];

describe('bench:strapi', () => {
  const servers: HttpServer[] = [];
  after(() => {
    for (const server of servers) server.close().closeAllConnections();
  });

  /** Answers like the content API, and records what it was asked for. */
  const open = async (total: number, token: string | null) => {
    const requests: string[] = [];
    const server = createServer((request, response) => {
      requests.push(`${request.method} ${decodeURIComponent(request.url ?? '')}`);
      const allowed = token === null || request.headers.authorization === `Bearer ${token}`;
      response.statusCode = allowed ? 200 : 403;
      request.resume().once('end', () => {
        response.end(JSON.stringify({ data: ENTRIES, meta: { pagination: { total } } }));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push(server);
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      token,
      pid: process.platform === 'linux' ? process.pid : null,
      requests,
    };
  };

  it("makes requests that fit the type's attributes", () => {
    const requests = requestsOf({ type: 'teas', entries: ENTRIES, writes: true });
    expect(
      requests.map(({ name, call }) => `${name}: ${call(0).method} ${decodeURIComponent(call(0).path)}`),
    ).to.deep.equal([
      'list: GET /api/teas',
      'populated: GET /api/teas?populate=*',
      'find one: GET /api/teas/a',
      'filter and sort by title: GET /api/teas?filters[title][$contains]=Tea&sort=title:desc',
      '_q: GET /api/teas?_q=Tea',
      'page without total: GET /api/teas?pagination[withCount]=false',
      'PUT of title: PUT /api/teas/a',
    ]);
    expect(requests.at(-1)?.call(1).body).to.equal('{"data":{"title":"Tea & cake"}}');
    expect(requestsOf({ type: 'teas', entries: [{ documentId: 'a' }], writes: true })).to.have.length(3);
    expect(() => requestsOf({ type: 'teas', entries: [], writes: false })).to.throw('no entry');
  });

  it('sends the same to both servers, each with its token, and compares the responses', async () => {
    const [strapi, mangrove] = [await open(2, 'one'), await open(2, 'two')];
    const rows: Row[] = [];
    const options = {
      strapi,
      mangrove,
      type: 'teas',
      connections: 2,
      seconds: 0.06,
      warmUp: 0.01,
      writes: true,
    };
    for await (const row of compare(options)) rows.push(row);
    expect(rows).to.have.length(7);
    for (const { strapi: theirs, mangrove: ours, ratio } of rows) {
      if (strapi.pid !== null) expect(ours.cpu).to.be.a('number').and.at.least(0);
      expect(theirs.requests).to.be.greaterThan(0);
      expect(ratio).to.be.closeTo(ours.perSecond / theirs.perSecond, 1e-9);
    }
    expect(new Set(mangrove.requests)).to.deep.equal(new Set(strapi.requests));
  });

  it('does not compare servers with different content, or one that refuses', async () => {
    const [strapi, mangrove] = [await open(2, null), await open(3, null)];
    const run = async (options: object): Promise<string> => {
      const base = {
        strapi,
        mangrove,
        type: 'teas',
        connections: 1,
        seconds: 0.01,
        warmUp: 0,
        writes: false,
      };
      try {
        for await (const _ of compare({ ...base, ...options })) break;
        return '';
      } catch (error) {
        return String(error);
      }
    };
    expect(await run({})).to.include('Strapi has 2 entries and Mangrove 3');
    const closed = await open(2, 'secret');
    expect(await run({ mangrove: { ...closed, token: null } })).to.include('403');
  });
});

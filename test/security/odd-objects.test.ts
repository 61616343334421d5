/** Objects that JavaScript cannot convert to text or to a number, wherever a body or a query may have any value. */
import { expect } from 'chai';
import { send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const RESTAURANT = 'api::restaurant.restaurant';
const DOORS = ['native', 'v4', 'v3'] as const;
const pathAt = (door: string): string => (door === 'v3' ? '/restaurants' : '/api/restaurants');

/** Their own `toString` is no function. */
const ODD: readonly unknown[] = [{ toString: 1 }, { toString: null, valueOf: 1 }];
/** Where a value may have them: each place has one or the other. */
const PLACES: readonly ((odd: unknown) => unknown)[] = [
  (odd) => [odd],
  (odd) => [[odd]],
  (odd) => [{ __component: odd }],
  (odd) => [{ id: odd }],
  (odd) => [{ documentId: odd }],
  (odd) => ({ id: odd }),
  (odd) => ({ connect: odd }),
  (odd) => ({ connect: [{ documentId: odd, locale: odd }] }),
  (odd) => ({ connect: [{ id: 1, position: { before: odd } }] }),
  (odd) => ({ set: [odd] }),
];
const VALUES = [...ODD, ...PLACES.map((place, at) => place(ODD[at % ODD.length]))];

const QUERIES = [
  ...['sort', 'fields', 'populate', 'filters', 'locale', 'status', '_q', 'publicationFilter'],
  ...['_sort', '_limit', '_start', '_where', '_locale', '_publicationState', 'name', 'name_in', 'stars_gt'],
  ...['pagination[page]', 'filters[name]', 'filters[id][$in][0]', 'filters[createdAt][$gt]'],
  ...['filters[stars][$between][1]', 'filters[categories]', 'populate[categories]', 'populate[menu][sort]'],
].flatMap((name) => [`${name}[toString]=1`, `${name}[0][toString]=1`]);

describe('security: odd objects', function () {
  this.timeout(180_000);
  const servers: TestServer[] = [];
  let token: string;
  before(async () => {
    const first = await startTestServer({ server: { mcp: true } }, { undescribed: true });
    token = (await first.project.access.tokens.create({ name: 'full', type: 'full-access' })).key;
    servers.push(first);
    for (const compat of ['v4', 'v3'] as const)
      servers.push(await startTestServer({ rest: { compat } }, { undescribed: true, beside: first }));
  });
  after(async () => {
    for (const server of servers.reverse()) await server.close();
  });

  for (const [at, door] of DOORS.entries()) {
    it(`are refused as any attribute at the ${door} door`, async () => {
      const server = servers[at];
      if (!server) throw new Error('no server');
      const names = server.project.schema.contentTypes.get(RESTAURANT)?.attributes.keys() ?? [];
      const statuses = new Set<number>();
      for (const name of names)
        await Promise.all(
          VALUES.map(async (value) => {
            const attributes = { name: 'a', [name]: value };
            const body = door === 'v3' ? attributes : { data: attributes };
            const { status } = await send(server.url, pathAt(door), { token, body });
            expect(status, `${name}: ${JSON.stringify(value)}`).to.be.below(500);
            statuses.add(status);
          }),
        );
      expect([...statuses]).to.include.members([door === 'native' ? 201 : 200, 400]);
    });

    it(`are refused in queries at the ${door} door`, async () => {
      for (const query of QUERIES) {
        const answer = await send(String(servers[at]?.url), `${pathAt(door)}?${query}`, { token });
        expect(answer.status, query).to.be.below(500);
      }
    });
  }

  it('are refused as arguments of tools', async () => {
    for (const name of ['find', 'create', 'update', 'describe_type'])
      for (const key of ['type', 'data', 'filters', 'populate', 'sort', 'documentId', 'locale'])
        for (const value of VALUES) {
          const args = { type: RESTAURANT, documentId: 'a', data: {}, dryRun: true, [key]: value };
          const response = await fetch(`${servers[0]?.url}/mcp`, {
            method: 'POST',
            headers: {
              authorization: `Bearer ${token}`,
              'content-type': 'application/json',
              accept: 'application/json, text/event-stream',
            },
            body: JSON.stringify({
              jsonrpc: '2.0',
              id: 1,
              method: 'tools/call',
              params: { name, arguments: args },
            }),
          });
          const text = await response.text();
          expect(response.status, text).to.be.below(500);
          expect(text, `${name} ${key}`).to.not.include('Internal Server Error');
        }
  });
});

/** The check that every test server runs: requests and responses that do not match the description are reported. */
import { expect } from 'chai';
import type { AppMiddleware } from '../../src/http/context.js';
import { checkDescribed } from '../support/described/check.js';
import { deviations } from '../support/described/deviations.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

interface Exchange {
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly sent?: object;
  readonly body: unknown;
  readonly code?: string;
}

describe('the check of requests and responses', () => {
  let server: TestServer;
  let check: AppMiddleware;

  before(async function () {
    this.timeout(180_000);
    server = await startTestServer();
    check = checkDescribed(server.project, true);
  });
  after(() => server?.close());

  /** What the check reports for an exchange; null for nothing. */
  const saidOf = async (exchange: Exchange): Promise<string | null> => {
    const {
      method = 'GET',
      path = '/api/restaurants',
      status = 200,
      query = {},
      sent,
      body,
      code = '',
    } = exchange;
    const ctx = {
      method,
      status,
      body,
      url: path,
      querystring: '',
      _matchedRoute: path,
      exchange: { query: { params: query } },
      request: { body: sent },
      response: { is: () => 'json', get: () => code },
      get: () => '',
      is: () => 'json',
    };
    const { error } = console;
    console.error = () => undefined;
    await (check as unknown as (at: object, next: () => Promise<void>) => Promise<void>)(
      ctx,
      async () => undefined,
    );
    console.error = error;
    return ctx.status === 599 ? (deviations.pop() ?? null) : null;
  };

  const entry = { id: 1, documentId: 'a', name: 'Bella' };
  const page = (one: object) => ({ data: [one], meta: {} });

  it('accepts an exchange that matches the description', async () => {
    expect(await saidOf({ body: page(entry) })).to.equal(null);
    expect(
      await saidOf({ body: page(entry), query: { filters: { name: { $eq: 'x' } }, sort: 'name:desc' } }),
    ).to.equal(null);
  });

  it('accepts what Strapi takes although nobody is advised to send it', async () => {
    expect(await saidOf({ body: page(entry), query: { sort: 'name:desc:asc' } })).to.equal(null);
    const data = { name: 'Bella', open: '1', stars: '4', rating: '4.5' };
    expect(
      await saidOf({ method: 'POST', status: 201, sent: { data }, body: { data: entry, meta: {} } }),
    ).to.equal(null);
  });

  for (const [what, exchange] of [
    ['a private attribute', { body: page({ ...entry, internalNote: 'x' }) }],
    ['a password', { body: page({ ...entry, secret: 'x' }) }],
    ['a value of another type', { body: page({ ...entry, name: 5 }) }],
    ['an entry without its documentId', { body: page({ id: 1 }) }],
    ['an undescribed status', { status: 202, body: page(entry) }],
    ['a code that the route does not have', { status: 400, code: 'sign-in-failed', body: {} }],
    ['an error of another form', { status: 400, code: 'key-invalid', body: { error: 'no' } }],
    ['an undescribed filter', { body: page(entry), query: { filters: { nope: 'x' } } }],
    [
      'an operator that the type does not have',
      { body: page(entry), query: { filters: { stars: { $contains: '1' } } } },
    ],
    ['an undescribed sort', { body: page(entry), query: { sort: 'nope' } }],
    [
      'an undescribed body',
      { method: 'POST', status: 201, sent: { data: { nope: 1 } }, body: { data: entry, meta: {} } },
    ],
    [
      'a boolean that is not one',
      { method: 'POST', status: 201, sent: { data: { open: 'yes' } }, body: { data: entry, meta: {} } },
    ],
    ['an undescribed route', { path: '/api/nowhere', body: {} }],
  ] satisfies readonly (readonly [string, Exchange])[])
    it(`reports ${what}`, async () => {
      expect(await saidOf(exchange)).to.be.a('string');
    });
});

/**
 * Bodies that are cheap to send and expensive to process: error messages quote a limited part of a value, and its depth
 * is limited.
 */
import { expect } from 'chai';
import { type Received, send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

/** Bytes that are still in proportion, for the longest message and for the whole response. */
const MOST_MESSAGE = 1000;
const MOST_ANSWER = 60_000;

describe('security: bodies', function () {
  this.timeout(180_000);
  let server: TestServer;
  let token: string;
  before(async () => {
    const off = { ratelimit: { enabled: false, interval: 1000, max: 1 } };
    server = await startTestServer({ plugins: { usersPermissions: off } }, { hostile: true });
    token = (await server.project.access.tokens.create({ name: 'full', type: 'full-access' })).key;
  });
  after(() => server.close());

  const longest = (answer: Received): number => {
    const list = answer.at('error.details.errors');
    const messages = Array.isArray(list) ? list.map(({ message }) => String(message)) : [];
    return Math.max(...[...messages, String(answer.at('error.message'))].map(({ length }) => length));
  };
  const refusedBriefly = async (path: string, body: string): Promise<void> => {
    const answer = await send(server.url, `/api${path}`, { body, token, method: 'POST' });
    expect(answer.status, path).to.be.within(400, 413);
    expect(longest(answer), path).to.be.at.most(MOST_MESSAGE);
    expect(JSON.stringify(answer.body).length, path).to.be.at.most(MOST_ANSWER);
  };

  /** Each field of each route with its own kind of body. */
  const DOORS: Readonly<Record<string, readonly string[]>> = {
    '/auth/local': ['identifier', 'password'],
    '/auth/local/register': ['username', 'email', 'password'],
    '/auth/forgot-password': ['email'],
    '/auth/reset-password': ['code', 'password', 'passwordConfirmation'],
    '/auth/send-email-confirmation': ['email'],
    '/users': ['username', 'email', 'password', 'role', 'confirmed'],
    '/users-permissions/roles': ['name', 'description', 'permissions'],
    '/upload?id=1': ['fileInfo'],
    '/restaurants': ['data'],
  };
  const HEAVY: Readonly<Record<string, string>> = {
    'a list of deep lists': `[${Array(50).fill(nested(90)).join()}]`,
    'a long list': `[${Array(40_000).fill(1).join()}]`,
    'a long string': JSON.stringify('x'.repeat(150_000)),
    'many keys': `{${Array.from({ length: 8000 }, (_, i) => `"k${i}":${i}`).join()}}`,
    'a long key': `{"${'k'.repeat(150_000)}":1}`,
  };

  for (const [path, fields] of Object.entries(DOORS))
    for (const [name, value] of Object.entries(HEAVY))
      it(`MANGROVE-01: ${path} has a short error for ${name}`, async () => {
        for (const field of fields) await refusedBriefly(path, `{"${field}":${value}}`);
      });

  it('MANGROVE-01: content, for each kind of attribute', async () => {
    const type = server.project.schema.contentTypes.get('api::restaurant.restaurant');
    const names = [...(type?.attributes.values() ?? [])]
      .filter(({ system }) => !system)
      .map(({ name }) => name);
    expect(names).to.have.length.above(10);
    for (const name of names)
      for (const value of Object.values(HEAVY)) {
        const body = `{"data":{"name":"x","${name}":${value}}}`;
        const answer = await send(server.url, '/api/restaurants?status=published', { body, token });
        if (answer.status === 201) continue;
        expect(answer.status, name).to.be.within(400, 413);
        expect(longest(answer), name).to.be.at.most(MOST_MESSAGE);
        expect(JSON.stringify(answer.body).length, name).to.be.at.most(MOST_ANSWER);
      }
  });

  it('MANGROVE-01: nesting too deep to store is a 400 on every route, however deep', async () => {
    for (const depth of [101, 3000, 100_000])
      for (const [path, fields] of Object.entries(DOORS)) {
        const body = `{"${fields[0]}":${nested(depth)}}`;
        const answer = await send(server.url, `/api${path}`, { body, token });
        expect([answer.status, answer.at('error.message')], `${path} ${depth}`).to.deep.equal([
          400,
          `${fields[0]} is nested deeper than 100 levels`,
        ]);
      }
  });

  it('MANGROVE-01: so is fileInfo of a form', async () => {
    const form = new FormData();
    form.set('fileInfo', nested(3000));
    form.set('files', new Blob(['text']), 'a.txt');
    const answer = await fetch(`${server.url}/api/upload`, {
      method: 'POST',
      body: form,
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.status).to.equal(400);
  });

  it('MANGROVE-01: the fields of a form share one limit', async () => {
    const form = new FormData();
    for (let i = 0; i < 4; i++) form.set(`field${i}`, 'x'.repeat(400_000));
    form.set('files', new Blob(['text']), 'a.txt');
    const answer = await fetch(`${server.url}/api/upload`, {
      method: 'POST',
      body: form,
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.status).to.equal(413);
  });
});

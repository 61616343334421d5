import { type Document, deserialize } from 'bson';
import { expect } from 'chai';
import { send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { commandOf, startProxy, type WireProxy } from '../support/wire-proxy.js';

const actions = ['find', 'create', 'update', 'delete'].map((action) => `api::category.category.${action}`);

interface ReadCommand {
  readonly collection: string;
  readonly mode: string;
}

/** The collection and preference of a command that reads; null for any other. */
function readOf(message: Buffer): ReadCommand | null {
  const name = commandOf(message);
  if (name !== 'find' && name !== 'aggregate') return null;
  const body: Document = deserialize(message.subarray(21, 21 + message.readInt32LE(21)));
  return { collection: String(body[name]), mode: String(body['$readPreference']?.mode ?? 'primary') };
}

describe('readPreference in the database URI', () => {
  const commands: ReadCommand[] = [];
  let direct: TestServer;
  let proxy: WireProxy;
  let server: TestServer;
  let isSet: boolean;
  before(async () => {
    direct = await startTestServer({ roles: { public: actions } });
    proxy = await startProxy(direct.project.databaseUri, (message) => {
      const read = readOf(message);
      if (read) commands.push(read);
      return 0;
    });
    const databaseUri = `${proxy.uri}&readPreference=secondaryPreferred`;
    server = await startTestServer({ roles: { public: actions } }, { beside: direct, databaseUri });
    isSet = (await direct.project.store.db.command({ hello: 1 }))['setName'] !== undefined;
  });
  after(async () => {
    await server?.close();
    await proxy?.close();
    await direct?.close();
  });

  /** The preferences that a request uses for reads of matching collections. */
  const modes = async (path: string, sent: Parameters<typeof send>[2], of: RegExp): Promise<Set<string>> => {
    commands.length = 0;
    const { status } = await send(server.url, path, sent);
    expect(status).to.be.oneOf([200, 201, 204]);
    const found = commands.filter(({ collection }) => of.test(collection)).map(({ mode }) => mode);
    expect(found.length, `${path}: ${JSON.stringify(commands)}`).to.be.greaterThan(0);
    return new Set(found);
  };

  it('applies to lists', async () => {
    const expected = isSet ? 'secondaryPreferred' : 'primary';
    expect([...(await modes('/api/categories?populate=*', {}, /^categories$/))]).to.deep.equal([expected]);
  });

  it('does not apply to writes, their responses, and access', async () => {
    const body = { data: { name: 'made' } };
    const made = await send(server.url, '/api/categories', { body });
    const at = `/api/categories/${String(made.at('data.documentId'))}`;
    const written = [
      await modes('/api/categories?populate=*', { body: { data: { name: 'x' } } }, /^categories|^mangrove/),
      await modes(`${at}?populate=*`, { method: 'PUT', body }, /^categories/),
      await modes(at, { method: 'DELETE' }, /^categories/),
    ];
    const { key } = await direct.project.access.tokens.create({ name: 'all', type: 'full-access' });
    written.push(await modes('/api/categories', { token: key }, /^mangrove\..*tokens/));
    // On a direct connection the driver sends primaryPreferred to mean the primary.
    for (const of of written) expect([...of]).not.to.include('secondaryPreferred');
  });
});

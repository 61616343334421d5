/** `watch` of `mangrove/client`: what it yields, and how it goes on after connections that end. */
import { expect } from 'chai';
import { until } from '../../packages/engine/test/support/until.js';
import { type Client, createClient, type Envelope, type UntypedApi } from '../../src/client/index.js';
import { has } from '../support/engines/lacks.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

describe('watch of mangrove/client', () => {
  let server: TestServer;
  let token: { readonly key: string };
  let client: Client<UntypedApi>;
  /** Of each stream that was asked for: aborted by the client. */
  let signals: (AbortSignal | null | undefined)[];
  /** Cuts the connections so far. */
  let cut: AbortController;
  /** Answers the next streams that are asked for, in place of the server. */
  let refusals: Response[];
  const stopping: AbortController[] = [];

  before(async function () {
    if (!has('change streams in the order of commits')) this.skip();
    server = await startTestServer();
    token = await server.project.access.tokens.create({ name: 'watch', type: 'full-access' });
  });
  after(() => server?.close());
  beforeEach(() => {
    signals = [];
    refusals = [];
    cut = new AbortController();
    client = createClient({
      url: `${server.url}/api`,
      token: token.key,
      fetch: async (url, init = {}) => {
        const { signal } = init;
        if (new Headers(init.headers).get('accept') === 'text/event-stream') {
          signals.push(signal);
          const refusal = refusals.shift();
          if (refusal) return refusal;
        }
        return fetch(url, { ...init, signal: AbortSignal.any([cut.signal, ...(signal ? [signal] : [])]) });
      },
    });
  });
  afterEach(() => {
    for (const one of stopping.splice(0)) one.abort();
  });

  /** Reads on by itself. */
  const collect = (
    start: (options: { signal: AbortSignal }) => AsyncGenerator<Envelope<unknown>>,
  ): { readonly got: Envelope<unknown>[]; readonly end: Promise<unknown>; stop(): void } => {
    const controller = new AbortController();
    stopping.push(controller);
    const got: Envelope<unknown>[] = [];
    const read = async (): Promise<unknown> => {
      try {
        for await (const answer of start({ signal: controller.signal })) got.push(answer);
        return null;
      } catch (error) {
        return error;
      }
    };
    return { got, end: read(), stop: () => controller.abort() };
  };
  const isCurrent = async (got: readonly Envelope<unknown>[], find: () => Promise<object>): Promise<void> => {
    const now = JSON.stringify(await find());
    await until(
      () => JSON.stringify(got.at(-1)) === now,
      () => got,
    );
  };

  it('yields what find returns, and again after each change', async () => {
    const categories = client.collection('categories');
    const query = { sort: 'position', fields: ['name', 'position'], pagination: { pageSize: 4 } };
    const { got, end, stop } = collect((options) => categories.watch(query, options));
    const find = () => categories.find(query);
    await isCurrent(got, find);
    const made: string[] = [];
    for (const position of [50, 20, 40, 10, 30])
      made.push((await categories.create({ name: `Watched ${position}`, position })).data.documentId);
    await isCurrent(got, find);
    await categories.update(made[0] ?? '', { position: 1, name: 'Moved and renamed' });
    await isCurrent(got, find);
    for (const documentId of made) await categories.delete(documentId);
    await isCurrent(got, find);
    expect(got.every(({ data }) => Array.isArray(data))).to.equal(true);
    stop();
    expect(await end).to.equal(null);
  });

  it('follows one entry, until it is deleted', async () => {
    const categories = client.collection('categories');
    const { documentId } = (await categories.create({ name: 'Watched alone' })).data;
    const { got } = collect((options) => categories.watchOne(documentId, { fields: 'name' }, options));
    await isCurrent(got, () => categories.findOne(documentId, { fields: 'name' }));
    await categories.update(documentId, { name: 'Renamed' });
    await isCurrent(got, () => categories.findOne(documentId, { fields: 'name' }));
    await categories.delete(documentId);
    await until(
      () => got.at(-1)?.data === null,
      () => got,
    );
  });

  it('connects again, and misses nothing', async () => {
    const categories = client.collection('categories');
    const { got } = collect((options) => categories.watch({ sort: 'name' }, options));
    await isCurrent(got, () => categories.find({ sort: 'name' }));
    cut.abort();
    cut = new AbortController();
    const { documentId } = (await categories.create({ name: 'Made meanwhile' })).data;
    await isCurrent(got, () => categories.find({ sort: 'name' }));
    expect(signals).to.have.length(2);
    await categories.delete(documentId);
  });

  it('tries again after what passes: a server that fails, and a read that takes too long', async () => {
    const categories = client.collection('categories');
    const { got } = collect((options) => categories.watch({ sort: 'name' }, options));
    await isCurrent(got, () => categories.find({ sort: 'name' }));
    const error = { name: 'ApplicationError', message: 'too long', details: { code: 'query-timed-out' } };
    refusals = [new Response('bad gateway', { status: 502 }), Response.json({ error }, { status: 400 })];
    cut.abort();
    cut = new AbortController();
    const { documentId } = (await categories.create({ name: 'Made meanwhile' })).data;
    await isCurrent(got, () => categories.find({ sort: 'name' }));
    expect(signals).to.have.length(4);
    await categories.delete(documentId);
  });

  it('throws what the server refuses', async () => {
    const { end } = collect((options) => client.collection('categories').watch({ sort: 'nope' }, options));
    expect(await end).to.include({ status: 400, name: 'ValidationError' });
    const missing = collect((options) => client.collection('categories').watchOne('nope', {}, options));
    expect(await missing.end).to.include({ status: 404 });
  });

  it('ends with a 401 when the token is revoked', async () => {
    const categories = client.collection('categories');
    const other = await server.project.access.tokens.create({ name: 'short', type: 'full-access' });
    const revoked = createClient({ url: `${server.url}/api`, token: other.key });
    const { got, end } = collect((options) => revoked.collection('categories').watch({}, options));
    await until(
      () => got.length === 1,
      () => got,
    );
    await server.project.access.tokens.revoke('short');
    await categories.create({ name: 'Unseen' });
    expect(await end).to.include({ status: 401 });
    expect(got).to.have.length(1);
  });

  it('ends the request when the caller stops', async () => {
    const categories = client.collection('categories');
    for await (const { data } of categories.watch()) {
      expect(data).to.be.an('array');
      break;
    }
    expect(signals.map((signal) => signal?.aborted)).to.deep.equal([true]);
  });
});

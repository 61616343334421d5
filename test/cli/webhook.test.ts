/** `mangrove webhook`: endpoints, a test, deliveries, and no secret in what it lists. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { until } from '../../packages/engine/test/support/until.js';
import { startWebhooks } from '../../src/webhooks/index.js';
import { mangrove } from '../support/run-command.js';
import { typeFile } from '../support/schemas.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { type Receiver, startReceiver } from '../webhooks/receiver.js';

const NOTE = 'api::note.note';

describe('mangrove webhook', () => {
  let root: string;
  let server: TestServer;
  let receiver: Receiver;
  let uri: string | undefined;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-webhook-'));
    await mkdir(join(root, 'content-types', 'note'), { recursive: true });
    await mkdir(join(root, 'config'));
    const { content } = typeFile('note', { name: { type: 'string' } });
    await writeFile(join(root, 'content-types', 'note', 'schema.json'), JSON.stringify(content));
    receiver = await startReceiver();
    server = await startTestServer({ webhooks: { allowPrivate: ['127.0.0.1'] } }, { schemaFolder: root });
    await writeFile(
      join(root, 'config', 'webhooks.json'),
      JSON.stringify({ fixed: { url: `${receiver.url}/fixed`, headers: { authorization: 'Bearer hush' } } }),
    );
    await writeFile(
      join(root, 'config', 'server.json'),
      JSON.stringify({ webhooks: { allowPrivate: ['127.0.0.1'] } }),
    );
    uri = process.env['MONGODB_URI'];
    process.env['MONGODB_URI'] = server.database;
  });
  after(async () => {
    if (uri === undefined) delete process.env['MONGODB_URI'];
    else process.env['MONGODB_URI'] = uri;
    await server.close();
    await receiver.close();
    await rm(root, { recursive: true, force: true });
  });
  const run = (...args: readonly string[]) => mangrove('--root', root, 'webhook', ...args);
  const json = async (...args: readonly string[]) => {
    const { stdout, stderr, status } = await run('--json', ...args);
    expect(status, stderr).to.equal(0);
    return JSON.parse(stdout);
  };

  it('adds, tests, lists, replays, rotates and removes', async () => {
    const wrong = await run('add', 'site', 'http://10.0.0.1/', '--types', 'api::nope.nope');
    expect([wrong.status, wrong.stderr]).to.deep.equal([1, wrong.stderr]);
    expect(wrong.stderr).to.contain('site.types: "api::nope.nope" is not a content type');
    expect((await run('add', 'site', 'http://10.0.0.1/')).stderr).to.contain('private address');
    expect((await run('add', 'fixed', receiver.url)).stderr).to.contain('config/webhooks defines fixed');
    const dry = await json('add', 'site', `${receiver.url}/site`, '--dry-run');
    expect(dry).to.include({ dryRun: true }).and.not.have.property('secret');
    const { secret } = await json(
      'add',
      'site',
      `${receiver.url}/site`,
      '--events',
      'entry.create',
      '--types',
      NOTE,
    );
    expect(secret).to.match(/^whsec_/);
    expect((await run('add', 'site', receiver.url)).status).to.equal(1);

    const tested = await json('test', 'site');
    expect(tested).to.include({ ok: true, status: 204 });
    const [sent] = receiver.received;
    expect(sent?.headers).to.include({ 'x-strapi-event': 'trigger-test', 'webhook-id': tested.webhookId });
    receiver.answer = () => ({ status: 500 });
    expect((await run('test', 'site')).status).to.equal(1);
    receiver.answer = () => ({ status: 204 });

    const webhooks = await startWebhooks(
      { ...server.project, record: () => undefined },
      { lease: 500, every: 50, backoff: () => 50 },
    );
    const delivered = () =>
      receiver.received.filter(({ headers }) => headers['x-strapi-event'] === 'entry.create');
    try {
      await server.project.documents(NOTE).create({ data: { name: 'one' } });
      await until(
        () => delivered().length === 1,
        () => 'not delivered',
      );
      await until(
        async () => (await json('deliveries', 'site'))[0]?.state === 'delivered',
        () => 'not noted',
      );
      const [listed] = await json('deliveries', '--state', 'delivered');
      expect(listed).to.include({ endpoint: 'site', event: 'entry.create', attempts: 1 });
      expect(listed.last).to.include({ status: 204 });
      expect(await json('replay', listed.id, '--dry-run')).to.deep.equal({ count: 1, dryRun: true });
      expect(await json('replay', listed.id)).to.deep.equal({ count: 1 });
      await until(
        () => delivered().length === 2,
        () => 'not delivered again',
      );
      const [first, second] = delivered();
      expect(second?.headers['webhook-id']).to.equal(first?.headers['webhook-id']);
      expect(second?.text).to.equal(first?.text);
      expect((await run('replay', 'nothing')).status).to.equal(1);
      expect((await run('replay')).stderr).to.contain('--endpoint');
    } finally {
      await webhooks.stop(1000);
    }

    const rotated = await json('rotate', 'site');
    await json('test', 'site');
    const signatures = String(receiver.received.at(-1)?.headers['webhook-signature']).split(' ');
    expect(signatures).to.have.length(2);
    expect((await run('rotate', 'fixed')).stderr).to.contain('config/webhooks defines fixed');
    const printed = [await run('list'), await run('--json', 'list'), await run('deliveries')]
      .map(({ stdout, stderr }) => stdout + stderr)
      .join();
    expect(printed).to.contain('site').and.contain('fixed').and.contain('authorization');
    for (const hidden of [secret, rotated.secret, 'hush']) expect(printed).to.not.contain(hidden);
    const config = await mangrove('--root', root, '--json', 'config', 'dump');
    expect(config.stdout).to.contain('/fixed').and.not.contain('hush');
    expect(await json('remove', 'site')).to.include({ ok: true });
    expect((await run('test', 'site')).stderr).to.contain('There is no webhook site');
    expect((await run('remove', 'fixed')).stderr).to.contain('config/webhooks defines fixed');
  });
});

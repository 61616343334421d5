/** Webhooks of a server: what is sent, to whom, in which order, and what becomes of failures. */
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { until } from '../../packages/engine/test/support/until.js';
import type { ConfigOverrides } from '../../src/config/load.js';
import type { AppEvent } from '../../src/events/events.js';
import { OUTBOX } from '../../src/store/outbox/outbox.js';
import { currentPosition, readChanges } from '../../src/store/outbox/read-changes.js';
import {
  DELIVERIES,
  type Delivery,
  eraseDeliveries,
  storeDeliveries,
  trimDeliveries,
} from '../../src/store/webhooks/deliveries.js';
import {
  insertEndpoint,
  setDisabled,
  setSecrets,
  storedEndpoints,
} from '../../src/store/webhooks/endpoints.js';
import { namedAlone, newSecret, startWebhooks, type Webhooks } from '../../src/webhooks/index.js';
import { payloadsOf } from '../../src/webhooks/payload.js';
import { keepConnections, post } from '../../src/webhooks/post.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { type Received, type Receiver, startReceiver } from './receiver.js';

const ARTICLE = 'api::article.article';
const CATEGORY = 'api::category.category';

describe('webhooks', () => {
  let receiver: Receiver;
  let server: TestServer;
  let webhooks: Webhooks;
  let recorded: AppEvent[];
  const secret = newSecret();

  /** Starts a server and its webhooks. */
  const start = async (endpoints: Record<string, object>, more: object = {}): Promise<void> => {
    const settings = { allowPrivate: ['127.0.0.0/8'], endpoints, ...more } as NonNullable<
      ConfigOverrides['webhooks']
    >;
    server = await startTestServer({ webhooks: settings });
    recorded = [];
    webhooks = await startWebhooks(
      { ...server.project, record: (event) => void recorded.push(event) },
      { lease: 500, every: 50, backoff: (attempts) => attempts * 100 },
    );
  };
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await webhooks?.stop(1000);
    await server?.close();
    await receiver.close();
  });
  const documents = (uid: string) => server.project.documents(uid);
  const events = (path = '/') =>
    receiver.received.filter((got) => got.path === path).map(({ body }) => body['event']);
  const deliveries = () => server.project.store.db.collection(DELIVERIES).find().sort({ n: 1 }).toArray();
  const states = async () => (await deliveries()).map(({ state }) => state);
  const made = async (uid: string, data: object): Promise<string> =>
    String((await documents(uid).create({ data }))['documentId']);

  it("send Strapi's events and bodies, signed", async () => {
    await start({ site: { url: `${receiver.url}/`, secret, headers: { 'X-Own': 'yes' } } });
    const documentId = await made(ARTICLE, { title: 'One' });
    await documents(ARTICLE).update({ documentId, data: { title: 'Two' } });
    await documents(ARTICLE).publish?.({ documentId });
    await documents(ARTICLE).unpublish?.({ documentId });
    await documents(ARTICLE).delete({ documentId });
    await receiver.count(5);
    const names = ['create', 'update', 'publish', 'unpublish', 'delete'].map((name) => `entry.${name}`);
    expect(events()).to.deep.equal(names);
    for (const { headers, text, body, entry } of receiver.received) {
      expect(body).to.include({ model: 'article', uid: ARTICLE });
      expect(Object.keys(body)).to.deep.equal(['event', 'createdAt', 'model', 'uid', 'entry']);
      expect(entry).to.include({ documentId, locale: 'en' });
      expect(headers).to.include({
        'x-strapi-event': body['event'],
        'x-own': 'yes',
        'content-type': 'application/json',
      });
      const key = Buffer.from(secret.slice(6), 'base64');
      const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
      expect(headers['webhook-signature']).to.equal(
        `v1,${createHmac('sha256', key).update(content).digest('base64')}`,
      );
    }
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).to.equal(5);
    await until(
      async () => (await states()).every((state) => state === 'delivered'),
      () => 'not delivered',
    );
    const [first] = await deliveries();
    expect(first?.['last']).to.include({ status: 204, error: null });
    expect(recorded.map(({ name }) => name)).to.include('webhook-delivered');
  });

  it('are filtered by event, type, locale and version, and show what is asked for', async () => {
    await start({
      live: {
        url: `${receiver.url}/live`,
        status: 'published',
        types: [ARTICLE],
        fields: ['title'],
      },
      french: { url: `${receiver.url}/french`, locales: ['fr'], types: [ARTICLE] },
      gone: { url: `${receiver.url}/gone`, events: ['entry.delete'] },
      off: { url: `${receiver.url}/off`, enabled: false },
    });
    const documentId = await made(ARTICLE, { title: 'One' });
    await documents(ARTICLE).update({ documentId, locale: 'fr', data: { title: 'Un' } });
    await documents(ARTICLE).publish?.({ documentId, locale: 'en' });
    await documents(CATEGORY).delete({ documentId: await made(CATEGORY, { name: 'Other' }) });
    // What is gone before it is read is sent without its content.
    await receiver.count(3);
    await documents(ARTICLE).delete({ documentId, locale: '*' });
    await receiver.count(7);
    expect(events('/live')).to.deep.equal(['entry.publish', 'entry.delete']);
    expect(events('/french')).to.deep.equal(['entry.create', 'entry.delete']);
    expect(events('/gone').sort()).to.deep.equal(['entry.delete', 'entry.delete', 'entry.delete']);
    const [live] = receiver.received.filter(({ path }) => path === '/live');
    expect(live?.entry).to.have.keys('id', 'documentId', 'title');
    expect(events('/off')).to.deep.equal([]);
  });

  it('retry in order per document, and let other documents pass', async () => {
    await start({ site: { url: `${receiver.url}/`, types: [CATEGORY] } });
    const names = (list: readonly Received[]) =>
      list.map(({ body, entry }) => `${body['event']} ${entry['name'] ?? ''}`);
    let passed = false;
    receiver.answer = ({ entry }) => {
      passed ||= entry['name'] === 'b';
      return { status: entry['name'] === 'a' && !passed ? 500 : 200 };
    };
    const documentId = await made(CATEGORY, { name: 'a' });
    await receiver.count(1);
    await documents(CATEGORY).delete({ documentId });
    await made(CATEGORY, { name: 'b' });
    const own = () => receiver.received.filter(({ entry }) => entry['documentId'] === documentId);
    await until(
      () => names(own()).at(-1) === 'entry.delete ',
      () => names(receiver.received),
    );
    const creates = own().slice(0, -1);
    expect(creates.length).to.be.greaterThan(1);
    expect(new Set(names(creates))).to.deep.equal(new Set(['entry.create a']));
    expect(new Set(creates.map(({ headers }) => headers['webhook-id'])).size).to.equal(1);
    expect(passed).to.equal(true);
    await until(
      async () => (await deliveries())[0]?.['attempts'] === creates.length,
      () => 'attempts',
    );
  });

  it('end after a day, are disabled by 410, do not follow redirects, and can be replayed', async () => {
    await start({ site: { url: `${receiver.url}/`, types: [CATEGORY], events: ['entry.create'] } });
    const { db } = server.project.store;
    receiver.answer = ({ path }) =>
      path === '/' ? { status: 302, location: '/elsewhere' } : { status: 200 };
    await made(CATEGORY, { name: 'a' });
    await receiver.count(2);
    expect(events('/elsewhere')).to.deep.equal([]);
    await db.collection(DELIVERIES).updateMany({}, { $set: { until: new Date() } });
    await until(
      async () => (await states()).join() === 'failed',
      async () => (await states()).join(),
    );
    await until(
      () => recorded.some(({ name }) => name === 'webhook-given-up'),
      () => recorded.map(({ name }) => name).join(),
    );
    receiver.answer = () => ({ status: 410 });
    await made(CATEGORY, { name: 'b' });
    await until(
      async () => (await storedEndpoints(db)).some(({ disabled }) => disabled),
      () => 'not disabled',
    );
    await until(
      async () => (await states()).join() === 'failed,failed',
      () => 'not failed',
    );
    await sleep(300);
    const before = receiver.received.length;
    await made(CATEGORY, { name: 'c' });
    await sleep(1000);
    expect([(await states()).length, receiver.received.length]).to.deep.equal([2, before]);
  });

  it('show the same whether entries are read together or alone', async () => {
    await start({});
    const { store } = server.project;
    const after = await currentPosition(store);
    const categories = [await made(CATEGORY, { name: 'a' }), await made(CATEGORY, { name: 'b' })];
    for (const title of ['One', 'Two', 'Three']) {
      const documentId = await made(ARTICLE, { title, categories });
      if (title === 'Two') await documents(ARTICLE).publish?.({ documentId });
      await documents(ARTICLE).update({
        documentId,
        locale: 'fr',
        data: { title: `${title} (fr)`, categories },
      });
      if (title === 'Three') await documents(ARTICLE).delete({ documentId, locale: '*' });
    }
    const changed: Parameters<typeof payloadsOf>[1][number][] = [];
    const types = server.project.schema.contentTypes;
    for await (const change of readChanges(store, { after })) {
      const type = types.get(change.uid);
      if (type) changed.push({ type, change });
      if (changed.length === (await store.db.collection(OUTBOX).countDocuments())) break;
    }
    for (const projection of [{}, { fields: ['title'] }, { populate: ['categories'], fields: ['name'] }]) {
      const given = { populate: null, fields: null, ...projection };
      const together = await payloadsOf(server.project, changed, given);
      for (const one of changed) {
        const alone = await payloadsOf(server.project, [one], given);
        expect(together.get(one.change)).to.equal(alone.get(one.change));
      }
      expect(new Set(together.values()).size).to.be.greaterThan(8);
    }
  });

  it('use a connection again, and another one if the receiver has closed it', async () => {
    await start({ site: { url: `${receiver.url}/`, types: [CATEGORY] } });
    for (const [at, name] of ['a', 'b', 'c'].entries()) {
      await made(CATEGORY, { name });
      await until(
        async () => (await states()).filter((state) => state === 'delivered').length === at + 1,
        states,
      );
    }
    expect(receiver.connections()).to.equal(1);
    const connections = keepConnections();
    const { signal } = new AbortController();
    const closing = createServer((request, response) => {
      request.resume();
      request.once('end', () => response.end());
      // The next request finds it closed.
      request.socket.once('data', () => request.socket.destroy());
    });
    await new Promise<void>((resolve) => closing.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(closing.address() as AddressInfo).port}/`;
    for (let n = 0; n < 3; n++) {
      const { status, error } = await post({
        ...{ url, headers: {}, payload: '{}', allows: () => true, signal, connections },
      });
      expect([status, error]).to.deep.equal([200, null]);
      await sleep(20);
    }
    connections.close();
    closing.removeAllListeners('request').on('request', ({ socket }) => {
      socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n');
    });
    const { status } = await post({ url, headers: {}, payload: '{}', allows: () => true, signal });
    expect(status).to.equal(null);
    closing.close();
  });

  /** A delivery to `site` that waits. */
  const waiting = (at: number, more: object): Delivery => {
    const body = { event: 'entry.create', uid: CATEGORY, model: 'category', entry: { documentId: 'left' } };
    const now = new Date();
    return {
      ...{ _id: `${at}/site`, endpoint: 'site', n: at, document: `${CATEGORY}/left`, event: body.event },
      ...{ uid: CATEGORY, documentId: 'left', locale: null, webhookId: `msg_${at}`, state: 'pending' },
      ...{ payload: JSON.stringify(body), attempts: 1, next: now, changedAt: now, endedAt: null, last: null },
      ...{ until: new Date(now.getTime() + 3_600_000), ...more },
    };
  };

  /** Stores such deliveries, as an earlier process left them. */
  const leave = async (count: number, more: object | ((at: number) => object)): Promise<void> => {
    const rows = Array.from({ length: count }, (_, at) =>
      waiting(at, { n: at - count, ...(typeof more === 'function' ? more(at) : more) }),
    );
    await storeDeliveries(server.project.store.db, rows, namedAlone);
  };

  it('are not stored with what was erased after they were made', async () => {
    await start({});
    const { db } = server.project.store;
    const entry = { id: 1, documentId: 'left', locale: null, name: 'Bella' };
    const [payload, bare] = [entry, { id: 1, documentId: 'left', locale: null }].map((shown) =>
      JSON.stringify({ event: 'entry.update', entry: shown }),
    );
    const ended = { state: 'delivered', endedAt: new Date() };
    const later = { changedAt: new Date(Date.now() + 60_000) };
    await eraseDeliveries(db, { uid: CATEGORY, documentId: 'left' }, namedAlone, false);
    const made = [{}, ended, later, { ...later, ...ended }, { document: `${CATEGORY}/other` }];
    const rows = made.map((more, at) => waiting(at, { payload, ...more }));
    await storeDeliveries(db, rows, namedAlone);
    const left = (await deliveries()).map((one) => [one['n'], one['payload']]);
    expect(left).to.deep.equal([
      [0, bare],
      [2, payload],
      [3, payload],
      [4, payload],
    ]);
  });

  it('of other documents pass one that fails, however many wait for it', async () => {
    await start({ site: { url: `${receiver.url}/`, types: [CATEGORY] } });
    receiver.answer = ({ entry }) => ({ status: entry['documentId'] === 'left' ? 500 : 200 });
    await leave(1100, {});
    await made(CATEGORY, { name: 'b' });
    await until(
      () => receiver.received.some(({ entry }) => entry['name'] === 'b'),
      () => receiver.received.length,
    );
  });

  /** A document of its own for each delivery. */
  const apart = (at: number) => {
    const payload = JSON.stringify({ event: 'entry.create', entry: { documentId: `left ${at}` } });
    return { document: `left ${at}`, documentId: `left ${at}`, payload };
  };

  it('of 500 documents are each sent once, five at a time', async () => {
    await start({ site: { url: `${receiver.url}/`, types: [CATEGORY] } });
    let [open, most] = [0, 0];
    receiver.answer = () => {
      open += 1;
      most = Math.max(most, open);
      setTimeout(() => {
        open -= 1;
      }, 1);
      return { status: 200, after: 2 };
    };
    await leave(500, apart);
    await until(
      async () => (await states()).every((state) => state === 'delivered'),
      () => receiver.received.length,
    );
    const sent = receiver.received.map(({ entry }) => entry['documentId']);
    expect([sent.length, new Set(sent).size]).to.deep.equal([500, 500]);
    expect(most).to.be.within(2, 5);
  });

  it('are signed by the secrets of the moment, and wait when a 410 ends others', async () => {
    await start({});
    const { db } = server.project.store;
    const [earlier, later] = [newSecret(), newSecret()];
    const definition = { url: `${receiver.url}/`, types: [CATEGORY] };
    await insertEndpoint(db, { _id: 'site', definition, secrets: [{ secret: earlier, until: null }] });
    receiver.answer = () => ({ status: 500 });
    await leave(1, apart);
    await receiver.count(1);
    const signatures = ({ headers }: Received) => String(headers['webhook-signature']).split(' ').length;
    await setSecrets(db, 'site', [
      { secret: later, until: null },
      { secret: earlier, until: new Date(Date.now() + 3_600_000) },
    ]);
    await until(
      () => receiver.received.some((got) => signatures(got) === 2),
      () => receiver.received.map(signatures),
    );
    receiver.answer = () => ({ status: 200 });
    await until(
      async () => (await states()).join() === 'delivered',
      () => receiver.received.length,
    );
    // One of five that are under way is answered with 410, the others later, and more wait.
    const { length } = receiver.received;
    receiver.answer = ({ entry }) =>
      entry['documentId'] === 'left 10' ? { status: 410 } : { status: 200, after: 300 };
    await db.collection(DELIVERIES).deleteMany({});
    await leave(30, (at) => apart(at + 10));
    await until(
      async () => {
        const ended = (await states()).filter((state) => state !== 'pending');
        return ended.includes('failed') && ended.length === receiver.received.length - length;
      },
      () => receiver.received.length,
    );
    const ended = await states();
    expect(ended.filter((state) => state === 'failed').length).to.equal(1);
    expect(ended.filter((state) => state === 'pending').length).to.be.greaterThan(0);
    receiver.answer = () => ({ status: 200 });
    await setDisabled(db, 'site', null);
    await until(
      async () => (await states()).every((state) => state !== 'pending'),
      () => receiver.received.length,
    );
    const sent = receiver.received.slice(length).map(({ entry }) => entry['documentId']);
    expect([sent.length, new Set(sent).size]).to.deep.equal([30, 30]);
  });

  it('can be added under a name that config/webhooks no longer has', async () => {
    await start({});
    const { db } = server.project.store;
    await setDisabled(db, 'site', { at: new Date(), reason: 'the receiver answered 410 Gone' });
    const endpoint = { _id: 'site', definition: { url: `${receiver.url}/` }, secrets: [] };
    expect(await insertEndpoint(db, endpoint)).to.equal(true);
    expect(await insertEndpoint(db, endpoint)).to.equal(false);
    expect(await storedEndpoints(db)).to.deep.equal([endpoint]);
  });

  it('do not wait for the clock of another process', async () => {
    await start({ site: { url: `${receiver.url}/`, types: [CATEGORY] } });
    await leave(1, { next: new Date(Date.now() + 3_600_000) });
    await receiver.count(1);
  });

  it('are deleted by the time of the database, whatever the clock of the process says', async () => {
    await start({ site: { url: `${receiver.url}/` } });
    await webhooks.stop(1000);
    const day = 24 * 3_600_000;
    const { now } = Date;
    const ago = (days: number): Date => new Date(now() - days * day);
    const ended = (at: number) => ({ state: 'delivered', endedAt: ago(at === 0 ? 400 : 0) });
    await leave(2, ended);
    Date.now = () => now() + 400 * day;
    try {
      webhooks = await startWebhooks({ ...server.project, record: () => undefined }, { every: 50 });
      await until(
        async () => (await deliveries()).length < 2,
        () => 'nothing is deleted',
      );
      await webhooks.stop(1000);
    } finally {
      Date.now = now;
    }
    expect((await deliveries()).map(({ endedAt }) => endedAt > ago(1))).to.deep.equal([true]);
  });

  it('that nobody tries any more are deleted', async () => {
    await start({ site: { url: `${receiver.url}/`, enabled: false } });
    const { db } = server.project.store;
    const now = Date.now();
    await leave(2, { until: new Date(now - 2000) });
    await trimDeliveries(db, new Date(now - 3000), 10);
    expect((await deliveries()).length).to.equal(2);
    await trimDeliveries(db, new Date(now - 1000), 10);
    expect(await deliveries()).to.deep.equal([]);
  });

  it('never reach private addresses that are not allowed', async () => {
    await start({ site: { url: receiver.url.replace('127.0.0.1', 'localhost') } }, { allowPrivate: [] });
    await made(CATEGORY, { name: 'a' });
    await until(
      async () => (await deliveries()).some(({ attempts }) => attempts > 0),
      () => 'no attempt',
    );
    expect((await deliveries())[0]?.['last'].error).to.contain('private network');
    expect(receiver.received).to.deep.equal([]);
  });

  it('refuse to start with what is wrong, with its place', async () => {
    server = await startTestServer();
    const wrong = {
      'a b': { url: receiver.url },
      one: { url: 'ftp://a.example', event: [] },
      two: { url: 'https://u:p@a.example', events: ['entry.made'], headers: { 'webhook-id': '1' } },
      three: { url: receiver.url, secret: 'short', types: ['api::nope.nope'] },
    };
    const refused = await startWebhooks({
      ...server.project,
      config: {
        webhooks: { ...server.project.config.webhooks, endpoints: wrong, allowPrivate: ['10.0.0.0/99'] },
      },
      record: () => undefined,
    }).catch((error: unknown) => error);
    const problems = (refused as { readonly problems: readonly string[] }).problems.join('\n');
    for (const part of [
      'config/webhooks › "a b" is not a name',
      'one.url: expected an http or https URL',
      'one: unknown key event; did you mean "events"?',
      'two.url: expected no credentials in the URL',
      'two.events: "entry.made" is not an event',
      'two.headers: webhook-id is set for each delivery',
      'three.secret: expected whsec_',
      'three.types: "api::nope.nope" is not a content type',
      'webhooks.allowPrivate',
    ])
      expect(problems).to.contain(part);
    const unread = await startWebhooks({
      ...server.project,
      config: {
        webhooks: {
          ...server.project.config.webhooks,
          endpoints: { site: { url: receiver.url, types: [ARTICLE], populate: 'nope' } },
        },
      },
      record: () => undefined,
    }).catch((error: unknown) => error);
    expect(String(unread)).to.contain(`site: ${ARTICLE}: Invalid key nope`);
    webhooks = { stop: async () => undefined };
  });
});

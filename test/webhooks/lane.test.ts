/** A lane is told of deliveries while it stores others. */
import { expect } from 'chai';
import { until } from '../../packages/engine/test/support/until.js';
import { DELIVERIES, type Delivery } from '../../src/store/webhooks/deliveries.js';
import { allowing } from '../../src/webhooks/addresses.js';
import { endpointsOf } from '../../src/webhooks/endpoint.js';
import { type Lane, openLane } from '../../src/webhooks/lane.js';
import { keepConnections } from '../../src/webhooks/post.js';
import { meddled } from '../recovery/meddled.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { type Receiver, startReceiver } from './receiver.js';

describe('a lane of webhook deliveries', () => {
  let server: TestServer;
  let receiver: Receiver;
  let lane: Lane;
  const abandoning = new AbortController();
  /** How the next commands that store or find deliveries go. */
  let meddle: { store?: () => Promise<void> } = {};
  before(async () => {
    server = await startTestServer({});
    receiver = await startReceiver();
    const db = meddled(server.project.store.db, async ({ collection, method, given, send }) => {
      if (collection === DELIVERIES && method === 'insertMany') await meddle.store?.();
      return send(given);
    });
    const [endpoint] = endpointsOf({ site: { url: `${receiver.url}/` } }, []);
    if (!endpoint) throw new RangeError('no endpoint');
    const parts = {
      ...server.project,
      store: { db },
      record: () => undefined,
      backoff: () => 100,
      allows: allowing(['127.0.0.1']),
      connections: keepConnections(),
    };
    lane = openLane(endpoint, parts, abandoning.signal);
  });
  after(async () => {
    abandoning.abort();
    await lane?.stop();
    await receiver?.close();
    await server?.close();
  });

  const delivery = (n: number, document = 'u/d'): Delivery => {
    const now = new Date();
    return {
      _id: `${n}/site`,
      endpoint: 'site',
      n,
      document,
      event: 'entry.update',
      uid: 'u',
      documentId: 'd',
      locale: null,
      webhookId: `msg_${n}`,
      payload: '{}',
      state: 'pending',
      attempts: 0,
      next: now,
      changedAt: now,
      until: new Date(now.getTime() + 60_000),
      endedAt: null,
      last: null,
    };
  };
  const arrived = (): unknown[] => receiver.received.map(({ headers }) => headers['webhook-id']);

  it('knows what was added behind a delivery that it was storing', async () => {
    let finish: (answer: { status: number }) => void = () => undefined;
    receiver.answer = ({ headers }) =>
      headers['webhook-id'] === 'msg_1'
        ? new Promise((resolve) => {
            finish = resolve;
          })
        : { status: 200 };
    // Whatever is begun has been looked for: what comes from now on is not stored at once.
    await lane.add([delivery(0, 'u/first')]);
    await until(
      () => arrived().length === 1,
      () => arrived(),
    );
    await lane.add([delivery(1)]);
    await until(
      () => arrived().length === 2,
      () => arrived(),
    );
    await lane.add([delivery(2)]);
    // Another document has something stored, so that the second one is known to be behind the first.
    lane.wake();
    await lane.add([delivery(3, 'u/other')]);
    let stored: () => void = () => undefined;
    const storing = new Promise<void>((resolve) => {
      const gate = new Promise<void>((open) => {
        stored = open;
      });
      let stores = 0;
      // The outcome of the first one, then the second one.
      meddle = {
        store: () => {
          stores += 1;
          if (stores < 2) return Promise.resolve();
          resolve();
          return gate;
        },
      };
    });
    finish({ status: 200 });
    await storing;
    await lane.add([delivery(4)]);
    meddle = {};
    stored();
    await until(
      () => arrived().includes('msg_2'),
      () => arrived(),
    );
    await lane.add([delivery(5)]);
    await until(
      () => arrived().length === 6,
      () => arrived(),
    );
    const own = arrived().filter((id) => id !== 'msg_0' && id !== 'msg_3');
    expect(own).to.deep.equal(['msg_1', 'msg_2', 'msg_4', 'msg_5']);
  });
});

/** The order in which a lane stores and sends deliveries that it is told of while others are under way. */
import { expect } from 'chai';
import { until } from '../../packages/engine/test/support/until.js';
import { DELIVERIES, type Delivery } from '../../src/store/webhooks/deliveries.js';
import { allowing } from '../../src/webhooks/addresses.js';
import { endpointsOf } from '../../src/webhooks/endpoint.js';
import { Lane } from '../../src/webhooks/lane.js';
import { keepConnections } from '../../src/webhooks/post.js';
import { meddled } from '../recovery/meddled.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { type Receiver, startReceiver } from './receiver.js';

describe('a lane of webhook deliveries', () => {
  let server: TestServer;
  let receiver: Receiver;
  let lane: Lane;
  let abandoning: AbortController;
  /** Awaited before deliveries are stored. */
  let beforeStoring: (some: readonly Delivery[]) => Promise<void> = () => Promise.resolve();
  before(async () => {
    server = await startTestServer({});
  });
  after(() => server?.close());
  beforeEach(async () => {
    await server.project.store.db.collection(DELIVERIES).deleteMany({});
    receiver = await startReceiver();
    abandoning = new AbortController();
    const db = meddled(server.project.store.db, async ({ collection, method, given, send }) => {
      if (collection === DELIVERIES && method === 'insertMany') await beforeStoring(given[0] as Delivery[]);
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
    lane = new Lane(endpoint, parts, abandoning.signal);
  });
  afterEach(async () => {
    abandoning.abort();
    await lane?.stop();
    await receiver?.close();
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
  const arrival = (n: number): Promise<unknown> =>
    until(
      () => arrived().includes(`msg_${n}`),
      () => arrived(),
    );
  let finish: () => void = () => undefined;
  const answerLater = (): Promise<{ status: number }> =>
    new Promise((resolve) => {
      finish = () => resolve({ status: 200 });
    });
  /** Until the lane knows that nothing waits in the database: what comes then is not stored at once. */
  const settle = async (): Promise<void> => {
    receiver.answer = answerLater;
    let isStored = true;
    for (let n = -1; isStored; n -= 1) {
      await lane.add([delivery(n, `u/before${n}`)]);
      isStored = (await server.project.store.db.collection(DELIVERIES).countDocuments({ n })) > 0;
      await arrival(n);
      finish();
    }
  };
  /** The first delivery, which is under way, and not stored, until `finish`. */
  const beginFirst = async (): Promise<void> => {
    await settle();
    let isDown = true;
    receiver.answer = ({ headers }) => {
      const id = headers['webhook-id'];
      if (id === 'msg_1') return answerLater();
      if (id !== `msg_${DOWN}` || !isDown) return { status: 200 };
      isDown = false;
      return { status: 503 };
    };
    await lane.add([delivery(1)]);
    await arrival(1);
  };
  const DOWN = 12;
  const own = (ids: readonly unknown[]): readonly unknown[] =>
    ids.filter((id) => ['msg_1', 'msg_2', 'msg_3', 'msg_4'].includes(String(id)));
  const stored = async (): Promise<readonly unknown[]> => {
    const rows = await server.project.store.db.collection(DELIVERIES).find().sort({ n: 1 }).toArray();
    return own(rows.map(({ webhookId }) => webhookId));
  };

  it('stores none before the ones of its document that come first: a crash would let it overtake', async () => {
    await beginFirst();
    for (const n of [2, 3, 4]) {
      await lane.add([delivery(n)]);
      // What is new is stored, as it was waiting while others are looked for, or another document rests.
      lane.wake();
      await lane.add([delivery(10 + n, `u/other${n}`)]);
      await arrival(10 + n);
      expect(await stored(), `${n}`).to.deep.equal([]);
    }
    finish();
    await arrival(4);
    expect(own(arrived())).to.deep.equal(['msg_1', 'msg_2', 'msg_3', 'msg_4']);
    await until(
      async () => (await stored()).length === 4,
      () => arrived(),
    );
  });

  it('knows what was added behind a delivery that it was storing', async () => {
    await beginFirst();
    await lane.add([delivery(2)]);
    // Another one has to be stored, so that the second one is known to be behind the first.
    lane.wake();
    await lane.add([delivery(11, 'u/other')]);
    let goOn: () => void = () => undefined;
    const gate = new Promise<void>((open) => {
      goOn = open;
    });
    const storing = new Promise<void>((resolve) => {
      beforeStoring = (some) => {
        if (!some.some(({ n }) => n === 2)) return Promise.resolve();
        resolve();
        return gate;
      };
    });
    finish();
    await storing;
    await lane.add([delivery(3)]);
    beforeStoring = () => Promise.resolve();
    goOn();
    await arrival(2);
    await lane.add([delivery(4)]);
    await arrival(4);
    await arrival(3);
    expect(own(arrived())).to.deep.equal(['msg_1', 'msg_2', 'msg_3', 'msg_4']);
  });
});

/** Writes that one process sends at the same moment: together where the server takes them so, and each as if it were alone. */
import { ObjectId } from 'bson';
import { expect } from 'chai';
import { openStore, type Store } from '../../src/store/client.js';
import type { Write } from '../../src/store/entries/changes.js';
import { changeEvent, OUTBOX } from '../../src/store/outbox/outbox.js';
import { openWriter, type Writer } from '../../src/store/writes/write.js';
import { settled, type TestStore, testStore } from '../support/engine.js';
import { commandOf, startProxy, type WireProxy } from '../support/wire-proxy.js';

const COLLECTION = 'shared';
const TITLES = ['a', 'b', 'c', 'd'];

const write = (documentId: string, step: Pick<Write['steps'][number], 'id' | 'before' | 'after'>): Write => ({
  steps: [{ collection: COLLECTION, ...step }],
  events: [
    changeEvent({ event: 'entry.update', uid: 'api::shared.shared', documentId, locale: null, id: 1 }),
  ],
});

describe('writes that are sent at the same moment', () => {
  let test: TestStore;
  let proxy: WireProxy;
  let store: Store;
  let writer: Writer;
  let bulkWrites = 0;

  beforeEach(async () => {
    test = await testStore();
    proxy = await startProxy(test.uri);
    store = await openStore({ uri: proxy.uri, name: test.name });
    writer = await openWriter(store);
    bulkWrites = 0;
  });
  afterEach(async () => {
    await store?.close();
    await proxy?.close();
    await test?.close();
  });

  /** Documents with these titles, each ready to become `new`. */
  const stored = async () => {
    const documents = TITLES.map((title) => ({ _id: new ObjectId(), _rev: new ObjectId(), title }));
    await test.store.db.collection(COLLECTION).insertMany(documents);
    return documents.map((before) => {
      const after = { ...before, _rev: new ObjectId(), title: 'new' };
      return write(before.title, { id: before._id, before, after });
    });
  };
  const titles = async () =>
    (await test.store.db.collection(COLLECTION).find().sort({ _id: 1 }).toArray()).map(({ title }) => title);
  const told = async () => {
    await settled(store);
    const events = await test.store.db.collection(OUTBOX).find().sort({ documentId: 1 }).toArray();
    return events.map(({ documentId }) => documentId);
  };
  /** Does `what` to the first command of that name. */
  const once = (name: string, what: 'cut after'): void => {
    let isDone = false;
    proxy.meddle = (message) => {
      if (commandOf(message) !== name || isDone) return 0;
      isDone = true;
      return what;
    };
  };

  it('are one command where that is a commit', async function () {
    if (!store.writesAtOnce) this.skip();
    proxy.meddle = (message) => {
      if (commandOf(message) === 'bulkWrite') bulkWrites += 1;
      return 0;
    };
    await Promise.all((await stored()).map((each) => writer.commit(each)));
    expect(bulkWrites).to.equal(1);
    expect(await titles()).to.deep.equal(['new', 'new', 'new', 'new']);
    expect(await told()).to.deep.equal(TITLES);
  });

  it('do not fail with one of them that does', async () => {
    const writes = await stored();
    await test.store.db.collection(COLLECTION).updateOne({ title: 'c' }, { $set: { _rev: new ObjectId() } });
    const results = await Promise.allSettled(writes.map((each) => writer.commit(each)));
    expect(results.map(({ status }) => status)).to.deep.equal([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(results[2]).to.have.nested.property('reason.name', 'WriteConflict');
    expect(await titles()).to.deep.equal(['new', 'new', 'c', 'new']);
    expect(await told()).to.deep.equal(['a', 'b', 'd']);
  });

  it('are each stored once where the response is lost', async () => {
    const writes = await stored();
    const added = { _id: new ObjectId(), _rev: new ObjectId(), title: 'added' };
    once(store.writesAtOnce ? 'bulkWrite' : 'update', 'cut after');
    await Promise.all(
      [...writes, write('e', { id: added._id, before: null, after: added })].map((each) =>
        writer.commit(each),
      ),
    );
    expect(await titles()).to.deep.equal(['new', 'new', 'new', 'new', 'added']);
    expect(await told()).to.deep.equal([...TITLES, 'e']);
  });
});

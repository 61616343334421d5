/** Claims of two writes of one document that were computed from the same state, on a server without transactions. */
import { expect } from 'chai';
import { openJournal } from '../../src/store/writes/journal.js';
import { JOURNAL } from '../../src/store/writes/journal-head.js';
import { settled, type TestStore, testStore } from '../support/engine.js';
import { asStandalone } from '../support/volatile-server.js';
import { bodyOf, commandOf, startProxy, type WireProxy } from '../support/wire-proxy.js';
import { openDocuments } from './open.js';

const LEASE = 60;
const UID = 'api::book.book';

type Opened = Awaited<ReturnType<typeof openDocuments>>;

describe('a value that two processes store in one document', () => {
  let opened: TestStore;
  let proxies: readonly WireProxy[];
  let processes: readonly Opened[];
  before(async () => {
    opened = await testStore();
    proxies = await Promise.all([startProxy(opened.uri, standalone), startProxy(opened.uri, standalone)]);
    processes = await Promise.all(
      proxies.map(({ uri }) =>
        openDocuments(`${uri}&retryWrites=false&serverMonitoringMode=poll`, opened.name),
      ),
    );
  });
  after(async () => {
    for (const { store } of processes ?? []) await store.close();
    for (const proxy of proxies ?? []) await proxy.close();
    await opened?.close();
  });

  const standalone = (message: Buffer) => (commandOf(message) === 'hello' ? asStandalone : 0);
  const books = (at: number) => processes[at]?.documents(UID) ?? expect.fail();
  /** Its unique value is inside a component, where no index keeps it unique. */
  const withCode = (code: string) => ({ title: 'a', chapters: [{ title: 't', notes: [{ code }] }] });
  const isFree = (code: string): Promise<boolean> =>
    books(0)
      .create({ data: withCode(code), status: 'published' })
      .then(
        () => true,
        () => false,
      );

  /** Both make the same write; the first one while the second is about to note it, after which `next` answers the second. */
  const storeTwice = async (code: string, next: WireProxy['meddle']): Promise<void> => {
    const documentId = String(
      (await books(0).create({ data: { title: 'a' }, status: 'published' })).documentId,
    );
    const update = (at: number) =>
      books(at).update({ documentId, data: withCode(code), status: 'published' });
    const [first = expect.fail()] = processes;
    const slow = proxies[1] ?? expect.fail();
    slow.meddle = async (message) => {
      if (commandOf(message) !== 'insert' || bodyOf(message)['insert'] !== JOURNAL)
        return standalone(message);
      slow.meddle = next;
      await update(0);
      await settled(first.store);
      return 0;
    };
    await update(1).catch(() => undefined);
    expect(slow.meddle).to.equal(next);
  };

  it('stays its own when the second is refused', async () => {
    await storeTwice('refused', standalone);
    expect(await isFree('refused')).to.equal(false);
  });

  it('stays its own when the second dies before it is refused', async () => {
    await storeTwice('killed', () => 'cut before');
    await openJournal(opened.store.db, LEASE).recoverAll();
    expect(await isFree('killed')).to.equal(false);
  });
});

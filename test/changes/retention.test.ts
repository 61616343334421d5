/** What is kept of the changes, and what readers get of what the server's history no longer has. */
import { Timestamp } from 'bson';
import { expect } from 'chai';
import { openStore } from '../../src/store/client.js';
import { OUTBOX } from '../../src/store/outbox/outbox.js';
import { currentPosition, readChanges } from '../../src/store/outbox/read-changes.js';
import { trimOutbox } from '../../src/store/outbox/retention.js';
import { type TestDocuments, testDocuments } from '../support/documents.js';
import { settled } from '../support/engine.js';
import { has } from '../support/engines/lacks.js';
import { schemaOf, typeFile } from '../support/schemas.js';
import { startProxy } from '../support/wire-proxy.js';

const NOTE = 'api::note.note';
const schema = schemaOf(typeFile('note', { title: { type: 'string' } }));
const DAY = 24 * 3600;

describe('the changes that are kept', () => {
  let opened: TestDocuments;
  beforeEach(async () => {
    opened = await testDocuments(schema);
  });
  afterEach(() => opened.close());

  const outbox = () => opened.store.db.collection(OUTBOX);
  const make = async (title: string): Promise<string> => {
    const { documentId } = await opened.documents(NOTE).create({ data: { title } });
    await settled(opened.store);
    return String(documentId);
  };
  /** Makes the changes of these documents older. */
  const age = async (documentIds: readonly string[], days: number): Promise<void> => {
    const at = Math.floor(Date.now() / 1000) - days * DAY;
    const placed = new Timestamp({ t: at, i: 1 });
    const filter = { documentId: { $in: [...documentIds] } };
    await outbox().updateMany(filter, { $set: { at: new Date(at * 1000), placed } });
  };
  const kept = async (): Promise<unknown[]> =>
    (await outbox().find().sort({ placed: 1, _id: 1 }).toArray()).map(({ documentId }) => documentId);

  it('are those of so many days', async () => {
    const [old, young] = [await make('old'), await make('young')];
    await age([old], 3);
    await trimOutbox(opened.store.db, { days: 4, maxBytes: 1e9 });
    expect(await kept()).to.deep.equal([old, young]);
    await trimOutbox(opened.store.db, { days: 2, maxBytes: 1e9 });
    expect(await kept()).to.deep.equal([young]);
  });

  it('are the latest that fit', async () => {
    const made: string[] = [];
    for (let number = 0; number < 20; number++) made.push(await make(`${number}`));
    // Changes of one moment go together.
    const now = Math.floor(Date.now() / 1000);
    for (const [at, documentId] of made.entries())
      await outbox().updateOne(
        { documentId },
        { $set: { placed: new Timestamp({ t: now - 20 + at, i: 1 }) } },
      );
    const { size } = await opened.store.db.command({ collStats: OUTBOX });
    await trimOutbox(opened.store.db, { days: 7, maxBytes: Math.floor(size / 2) });
    const left = await kept();
    expect(left.length).to.be.within(8, 10);
    expect(left).to.deep.equal(made.slice(-left.length));
  });

  if (has('change streams')) {
    /** Reads where the server's history no longer reaches back to a position. */
    const readAfter = async (after: string, count: number): Promise<(string | null)[]> => {
      let failures = 0;
      const proxy = await startProxy(opened.uri, (message) =>
        message.includes('resumeAfter') && ++failures === 1
          ? { ok: 0, code: 286, codeName: 'ChangeStreamHistoryLost', errmsg: 'the resume point may be gone' }
          : 0,
      );
      const store = await openStore({ uri: proxy.uri, name: opened.name });
      const read: (string | null)[] = [];
      try {
        for await (const { documentId } of readChanges(store, { after }))
          if (read.push(documentId) === count) break;
      } finally {
        await store.close();
        await proxy.close();
      }
      return read;
    };

    it('are read from the collection where the history of the server ends, and then as they happen', async () => {
      const after = await currentPosition(opened.store);
      const made = [await make('a'), await make('b'), await make('c')];
      const reading = readAfter(after, 4);
      const later = new Promise((resolve) => setTimeout(resolve, 500)).then(() => make('d'));
      expect(await reading).to.deep.equal([...made, await later]);
    });

    it('are not all there is after a position that is older: it is refused', async () => {
      const first = await make('a');
      const after = await currentPosition(opened.store);
      const second = await make('b');
      await age([first], 3);
      await trimOutbox(opened.store.db, { days: 2, maxBytes: 1e9 });
      expect(await readAfter(after, 1)).to.deep.equal([second]);
      const { size } = await opened.store.db.command({ collStats: OUTBOX });
      await make('c');
      await trimOutbox(opened.store.db, { days: 7, maxBytes: size });
      const refused = await readAfter(after, 1).catch((error: unknown) => error);
      expect(refused).to.include({ status: 400, code: 'position-lost' });
    });
  }
});

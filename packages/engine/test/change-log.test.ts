import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type ChangeStreamOptions, type Collection, type Document, MongoClient, Timestamp } from 'mongodb';
import { type RunningEngine, startEngine } from '../src/index.js';
import { failure, removeFolder, temporaryFolder } from './support/engine.js';

const MB = 1024 * 1024;
const LIMIT = 4 * MB;
const HISTORY_LOST = 286;

describe('embedded engine: the size of the log of changes', () => {
  let dataDir: string;
  let engine: RunningEngine;
  let client: MongoClient;
  let c: Collection<Document & { readonly _id: number }>;

  const start = async (): Promise<void> => {
    engine = await startEngine({ dataDir, limits: { oplogBytes: LIMIT } });
    client = await MongoClient.connect(engine.uri);
    c = client.db('d').collection('c');
  };
  const stop = async (): Promise<void> => {
    await client.close();
    await engine.close();
  };
  before(async () => {
    dataDir = temporaryFolder();
    await start();
  });
  after(async () => {
    await stop();
    removeFolder(dataDir);
  });

  /** The event after a position. */
  const next = async (options: ChangeStreamOptions): Promise<Document> => {
    const stream = c.watch([], options);
    try {
      return (await stream.next()) as Document;
    } finally {
      await stream.close();
    }
  };

  it('is bounded, and whoever continues from what is gone is told so', async () => {
    const stream = c.watch([], { batchSize: 1, maxAwaitTimeMS: 50 });
    await stream.tryNext();
    await c.insertOne({ _id: 1, n: 0 });
    await c.insertOne({ _id: 2, n: 0 });
    const { _id: first } = (await stream.next()) as unknown as { readonly _id: unknown };
    for (let n = 1; n <= 200; n++)
      await c.updateOne({ _id: 1 }, { $set: { n, text: `${n}`.repeat(400_000 / 3) } });

    // 27 MB were written.
    expect(statSync(join(dataDir, 'data', 'data.mdb')).size).to.be.below(5 * LIMIT);
    expect((await failure(next({ resumeAfter: first }))).code).to.equal(HISTORY_LOST);
    expect((await failure(next({ startAfter: first }))).code).to.equal(HISTORY_LOST);
    const early = Timestamp.fromBits(1, 1_600_000_000);
    expect((await failure(next({ startAtOperationTime: early }))).code).to.equal(HISTORY_LOST);
    // The cursor has read no further than the second insert.
    const late = await failure(
      (async () => {
        for (;;) await stream.next();
      })(),
    );
    expect(late.code).to.equal(HISTORY_LOST);
    await stream.close();
  });

  it('holds what the limit allows, also after a restart', async () => {
    const stream = c.watch([], { maxAwaitTimeMS: 50 });
    await stream.tryNext();
    for (let n = 0; n < 5; n++) await c.updateOne({ _id: 2 }, { $set: { n: `of ${n}` } });
    const { _id: position } = (await stream.next()) as unknown as { readonly _id: unknown };
    await stream.close();
    await stop();
    await start();
    await c.updateOne({ _id: 1 }, { $set: { text: 'x'.repeat(MB) } });
    const event = await next({ resumeAfter: position });
    expect(event['updateDescription']['updatedFields']).to.deep.equal({ n: 'of 1' });
    for (let n = 0; n < 8; n++) await c.updateOne({ _id: 1 }, { $set: { text: `${n}`.repeat(MB) } });
    expect((await failure(next({ resumeAfter: position }))).code).to.equal(HISTORY_LOST);
  });

  it('a smaller limit applies to the next write; one change is kept whatever its size', async () => {
    await client.db('admin').command({ setParameter: 1, oplogBytes: 1000 });
    const stream = c.watch([], { maxAwaitTimeMS: 50 });
    await stream.tryNext();
    const text = 'y'.repeat(MB);
    await c.updateOne({ _id: 1 }, { $set: { text } });
    const event = (await stream.next()) as unknown as Document;
    expect(event['updateDescription']['updatedFields']).to.deep.equal({ text });
    await stream.close();
  });
});

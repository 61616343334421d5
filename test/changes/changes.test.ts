/** Readers of the outbox: every change once, those of a document in order, resuming from any position. */

import { Timestamp } from 'bson';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { numberEvents } from '../../src/store/outbox/number-events.js';
import { addEvents, changeEvent, OUTBOX } from '../../src/store/outbox/outbox.js';
import { type Change, readChanges } from '../../src/store/outbox/read-changes.js';
import { type TestDocuments, testDocuments } from '../support/documents.js';
import { settled } from '../support/engine.js';
import { has } from '../support/engines/lacks.js';
import { schemaOf, typeFile } from '../support/schemas.js';

const NOTE = 'api::note.note';
const schema = schemaOf(typeFile('note', { title: { type: 'string' } }, { draftAndPublish: true }));

describe('changes of content', () => {
  let opened: TestDocuments;
  beforeEach(async () => {
    opened = await testDocuments(schema);
  });
  afterEach(() => opened.close());

  /** Reads until so many changes have arrived, or the first one of a document. */
  const read = async (after: string | null, upTo: number | string): Promise<Change[]> => {
    const ending = new AbortController();
    const changes: Change[] = [];
    for await (const change of readChanges(opened.store, { after, signal: ending.signal, every: 5 })) {
      changes.push(change);
      if (changes.length === upTo || change.documentId === upTo) break;
    }
    return changes;
  };
  const named = (changes: readonly Change[]): string[] =>
    changes.map(({ documentId, event }) => `${documentId} ${event}`);
  const notes = () => opened.documents(NOTE);
  const make = async (title: string): Promise<string> =>
    String((await notes().create({ data: { title } }))['documentId']);
  /** A change to resume from. A reader that has just started may miss what is written meanwhile, so there is more until it reads. */
  const beginning = async (): Promise<string> => {
    const begun: Promise<string>[] = [];
    const timer = setInterval(() => begun.push(make('first')), 100);
    const [first] = await read(null, 1);
    clearInterval(timer);
    await Promise.all(begun);
    const last = (await read(first?.position ?? '', await make('last'))).at(-1);
    return last?.position ?? '';
  };

  it('are delivered once, those of a document in order, and resume from any of them', async () => {
    const start = await beginning();
    const documents = await Promise.all(
      Array.from({ length: 5 }, async (_, at) => {
        const documentId = await make(`${at}`);
        await notes().update({ documentId, data: { title: 'b' } });
        await notes().publish?.({ documentId });
        await notes().delete({ documentId });
        return documentId;
      }),
    );
    await settled(opened.store);
    const total = await opened.store.db.collection(OUTBOX).countDocuments({ documentId: { $in: documents } });
    const all = await read(start, total);
    expect(new Set(all.map(({ changeId }) => changeId)).size).to.equal(total);
    for (const documentId of documents) {
      const own = all.filter((change) => change.documentId === documentId).map(({ event }) => event);
      const order = [...new Set(own)].map((name) => name.replace('entry.', ''));
      expect(order, documentId).to.deep.equal(['create', 'update', 'publish', 'delete']);
    }
    const middle = all[Math.floor(total / 2)];
    const later = await read(middle?.position ?? '', total - Math.floor(total / 2) - 1);
    expect(named(later)).to.deep.equal(named(all.slice(Math.floor(total / 2) + 1)));
  });

  it('a position that is malformed, or whose changes have expired, is refused', async () => {
    for (const after of ['', 'nonsense', Buffer.from('{}').toString('base64url')]) {
      const refused = await read(after, 1).catch((error: unknown) => error);
      expect(refused, after).to.include({ status: 400, code: 'position-lost' });
    }
  });

  it('a change that is added again keeps its place, and those beside it are added', async () => {
    const { db } = opened.store;
    const change = (event: 'entry.create' | 'entry.update' | 'entry.delete') =>
      changeEvent({ event, uid: NOTE, documentId: 'added twice', locale: null, id: 1 });
    const [create, update, removal] = [
      change('entry.create'),
      change('entry.update'),
      change('entry.delete'),
    ];
    await addEvents(db, [create, update], null);
    const places = [create, update].map(({ _id }, at) => ({
      updateOne: { filter: { _id }, update: { $set: { placed: new Timestamp({ t: 100 + at, i: 1 }) } } },
    }));
    await db.collection(OUTBOX).bulkWrite(places);
    await addEvents(db, [create, removal], null);
    await numberEvents(db);
    const stored = await db
      .collection(OUTBOX)
      .find({ documentId: 'added twice' })
      .sort({ number: 1 })
      .toArray();
    expect(stored.map(({ event }) => event)).to.deep.equal(['entry.create', 'entry.update', 'entry.delete']);
  });

  it("processes that assign numbers concurrently agree, even if one dies in between, and no writer's clock matters", async () => {
    const { db } = opened.store;
    const events = db.collection<{ _id: ObjectId; number?: number; placed: Timestamp }>(OUTBOX);
    // The later a client's clock, the earlier the server placed it.
    const ids = Array.from({ length: 250 }, (_, at) => ObjectId.createFromTime(2_000_000_000 - at));
    const placed = (at: number) => new Timestamp({ t: 100 + at, i: 1 });
    await events.insertMany(ids.slice(0, 200).map((_id, at) => ({ _id, placed: placed(at) })));
    const settings = db.collection<{ _id: string; last: number; pending: ObjectId[] }>('mangrove.settings');
    await settings.insertOne({ _id: 'outbox', last: 0, pending: ids.slice(0, 3) });
    await events.updateOne({ _id: ids[0] as ObjectId }, { $set: { number: 1 } });
    const lasts = await Promise.all(Array.from({ length: 4 }, () => numberEvents(db)));
    expect(new Set(lasts)).to.deep.equal(new Set([200]));
    // Placed before all others by the server's clock, but only visible now: it comes after what readers may have seen.
    await events.insertMany(ids.slice(200).map((_id) => ({ _id, placed: placed(-50) })));
    expect(await numberEvents(db)).to.equal(250);
    const numbered = await events.find().sort({ number: 1 }).toArray();
    expect(numbered.map(({ number }) => number)).to.deep.equal(ids.map((_, at) => at + 1));
    expect(numbered.slice(0, 200).map(({ _id }) => String(_id))).to.deep.equal(ids.slice(0, 200).map(String));
  });

  if (!has('change streams'))
    it('report that some are missing', async () => {
      const start = await beginning();
      for (const title of ['a', 'b', 'c']) await make(title);
      await settled(opened.store);
      await numberEvents(opened.store.db);
      const [next] = await opened.store.db
        .collection(OUTBOX)
        .find({})
        .sort({ number: -1 })
        .skip(2)
        .limit(1)
        .toArray();
      await opened.store.db.collection(OUTBOX).deleteOne({ _id: next?._id as ObjectId });
      const refused = await read(start, 1).catch((error: unknown) => error);
      expect(refused).to.include({ status: 400, code: 'position-lost' });
    });
});

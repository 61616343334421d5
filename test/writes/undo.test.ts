/** Writes inside work that fails are taken back, as if they had never been made. */
import { expect } from 'chai';
import type { InnerMiddleware } from '../../src/documents/middleware.js';
import type { Store } from '../../src/store/client.js';
import { WriteConflict } from '../../src/store/entries/apply-step.js';
import { CLAIMS } from '../../src/store/entries/claims.js';
import { OUTBOX } from '../../src/store/outbox/outbox.js';
import { type TestDocuments, testDocuments } from '../support/documents.js';
import { settled } from '../support/engine.js';
import { schemaOf, typeFile } from '../support/schemas.js';

const NOTE = 'api::note.note';
const TAG = 'api::tag.tag';
const HOME = 'api::home.home';
const schema = schemaOf(
  typeFile(
    'note',
    {
      title: { type: 'string' },
      code: { type: 'string', unique: true },
      tags: { type: 'relation', relation: 'manyToMany', target: TAG, inversedBy: 'notes' },
    },
    { draftAndPublish: true, options: { history: { count: 20 } } },
  ),
  typeFile('tag', {
    name: { type: 'string' },
    notes: { type: 'relation', relation: 'manyToMany', target: NOTE, mappedBy: 'tags' },
  }),
  typeFile('home', { title: { type: 'string' } }, { draftAndPublish: true, kind: 'singleType' }),
);

/** What is stored, without what tells removed entries from those that took their places. */
async function storedIn({ db }: Store): Promise<unknown> {
  const names = ['notes', 'notes.drafts', 'tags', 'homes', 'homes.drafts', CLAIMS];
  const lists = names.map(async (name) => {
    const all = await db.collection(name).find().toArray();
    const isClaim = name === CLAIMS;
    return [
      name,
      all
        .map(({ _id, _rev, _write, ...rest }) => ({ ...rest, of: isClaim ? _id : String(_rev) }))
        .sort(byText),
    ] as const;
  });
  return Object.fromEntries(await Promise.all(lists));
}

const byText = (a: object, b: object): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

describe('writes inside work that fails', function () {
  this.timeout(60_000);
  let opened: TestDocuments;
  let notUndone: unknown[];
  /** What runs after a write is stored; null: nothing. */
  let after: (() => Promise<unknown>) | null;
  let shared: string;
  const notes = () => opened.documents(NOTE);

  beforeEach(async () => {
    opened = await testDocuments(schema);
    notUndone = [];
    after = null;
    const middleware: InnerMiddleware = (context, next) => {
      const then = after;
      if (!then) return next();
      after = null;
      return context.undoable(
        async () => {
          await next();
          await then();
          throw new Error('after');
        },
        (error) => void notUndone.push(error),
      );
    };
    opened.documents.useInside(middleware, (action) => !/find|count/.test(action));
    const tag = await opened.documents(TAG).create({ data: { name: 'a' }, status: 'published' });
    const data = { title: 'one', code: 'x', tags: [tag['documentId']] };
    const note = await notes().create({ data, status: 'published' });
    shared = String(note['documentId']);
    await notes().update({ documentId: shared, data: { title: 'changed' } });
    await settled(opened.store);
  });
  afterEach(() => opened.close());

  const eventsSince = async (count: number): Promise<string[]> => {
    await settled(opened.store);
    const all = await opened.store.db.collection(OUTBOX).find().sort({ _id: 1 }).toArray();
    return all.slice(count).map(({ event }) => String(event));
  };
  const CALLS: Readonly<Record<string, { call(): Promise<unknown>; told: string }>> = {
    'a creation': {
      call: () => notes().create({ data: { title: 'new', code: 'y' }, status: 'published' }),
      told: 'entry.delete',
    },
    'an update of the draft': {
      call: () => notes().update({ documentId: shared, data: { title: 'again', code: 'z' } }),
      told: 'entry.update',
    },
    'an update of both versions': {
      call: () => notes().update({ documentId: shared, data: { code: 'z', tags: [] }, status: 'published' }),
      told: 'entry.update',
    },
    'a publication': { call: async () => notes().publish?.({ documentId: shared }), told: 'entry.publish' },
    'an unpublication': {
      call: async () => notes().unpublish?.({ documentId: shared }),
      told: 'entry.publish',
    },
    'a discarded draft': {
      call: async () => notes().discardDraft?.({ documentId: shared }),
      told: 'entry.update',
    },
    'a removal': { call: () => notes().delete({ documentId: shared }), told: 'entry.create' },
    'a copy': {
      call: () => notes().clone({ documentId: shared, data: { code: 'w' } }),
      told: 'entry.delete',
    },
    'the first entry of a single type': {
      call: () => opened.documents(HOME).create({ data: { title: 'a' } }),
      told: 'entry.delete',
    },
    'what the work itself has written': {
      call: () => {
        after = async () => {
          await opened.documents(TAG).create({ data: { name: 'b' } });
          await notes().update({ documentId: shared, data: { title: 'twice' } });
        };
        return notes().update({ documentId: shared, data: { title: 'once' } });
      },
      told: 'entry.delete',
    },
  };
  for (const [name, { call, told }] of Object.entries(CALLS))
    it(`${name} is taken back, and others are told`, async () => {
      const { store } = opened;
      const before = await storedIn(store);
      const count = await store.db.collection(OUTBOX).countDocuments();
      after = async () => undefined;
      const error = await call().catch((thrown: unknown) => thrown);
      expect(String(error)).to.equal('Error: after');
      expect(notUndone).to.eql([]);
      const events = await eventsSince(count);
      expect(await storedIn(store)).to.eql(before);
      expect(events.slice(1), events.join()).to.include(told);
      // What was claimed is free again, and what was released is not.
      expect(await notes().create({ data: { code: 'y' }, status: 'published' })).to.include({ code: 'y' });
      const taken = notes().create({ data: { code: 'x' }, status: 'published' });
      expect(String(await taken.catch((thrown: unknown) => thrown))).to.include('unique');
    });

  it('what was taken back stays among the versions that are kept', async () => {
    after = async () => undefined;
    await notes()
      .update({ documentId: shared, data: { title: 'lost' } })
      .catch(() => undefined);
    const versions = await notes().findVersions?.({ documentId: shared, status: 'draft' });
    expect(versions?.map(({ entry }) => entry['title'])).to.eql(['changed', 'lost', 'changed', 'one']);
    after = async () => undefined;
    await notes()
      .delete({ documentId: shared })
      .catch(() => undefined);
    expect((await notes().update({ documentId: shared, data: { title: 'on' } }))?.['title']).to.equal('on');
  });

  it('stays as it is if others have changed it since', async () => {
    after = async () => {
      await opened.store.db.collection('notes.drafts').updateOne({ code: 'x' }, { $set: { _rev: 'other' } });
    };
    const lost = notes().update({ documentId: shared, data: { title: 'stays' } });
    expect(String(await lost.catch((thrown: unknown) => thrown))).to.equal('Error: after');
    expect(notUndone.map((error) => error instanceof WriteConflict)).to.eql([true]);
    expect((await notes().findOne({ documentId: shared }))?.['title']).to.equal('stays');
  });

  it('what outlives the work is not part of it', async () => {
    let late: Promise<unknown> = Promise.resolve();
    let go: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => {
      go = resolve;
    });
    after = async () => {
      late = gone.then(() => opened.documents(TAG).create({ data: { name: 'late' } }));
    };
    await notes()
      .create({ data: { title: 'new' } })
      .catch(() => undefined);
    go();
    await late;
    expect(await opened.documents(TAG).count({ filters: { name: 'late' } })).to.equal(1);
  });
});

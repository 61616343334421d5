/** An import beside programs that write: what they do between two of its commands loses nothing. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Collection, type Db, type Document, ObjectId } from 'mongodb';
import { createSequences } from '../../src/store/entries/sequence.js';
import type { ImportReport } from '../../src/transfer/import/report.js';
import { openArchiveSource } from '../../src/transfer/strapi/source.js';
import { objectAt } from '../../src/values/plain-object.js';
import { type TestStore, testStore } from '../support/engine.js';
import { schemaOf, typeFile } from '../support/schemas.js';
import { entity, importAll, targetIn, writeArchive } from '../support/transfer.js';

const PAGE = 'api::page.page';
const schema = schemaOf(typeFile('page', { title: { type: 'string' } }));
const ids = Array.from({ length: 5 }, (_, n) => n + 1);
const documentIdOf = (id: number): string => `page${id}`.padEnd(24, 'a');

const STORIES = { singularName: 'story', pluralName: 'stories', displayName: 'Story' };

type Method = 'findOne' | 'bulkWrite' | 'insertMany' | 'updateMany';

interface Moment {
  readonly name: string;
  readonly method: Method;
  /** The `_id` asked for; absent: any. */
  readonly _id?: string;
  readonly after?: boolean;
}

/** A database in which something else happens once, just before or after a collection is asked for something. */
function interrupted(
  db: Db,
  { name, method, _id, after = false }: Moment,
  first: () => Promise<unknown>,
): Db {
  let isDone = false;
  const happens = async (): Promise<void> => {
    if (isDone) return;
    isDone = true;
    await first();
  };
  const watched = (collection: Collection): Collection =>
    new Proxy(collection, {
      get(target, key) {
        const found: unknown = Reflect.get(target, key);
        if (typeof found !== 'function') return found;
        if (key !== method) return found.bind(target);
        return async (...args: readonly unknown[]) => {
          const isMoment = _id === undefined || objectAt(args[0])['_id'] === _id;
          if (isMoment && !after) await happens();
          const answer = await found.apply(target, args);
          if (isMoment && after) await happens();
          return answer;
        };
      },
    });
  return new Proxy(db, {
    get(target, key) {
      const found: unknown = Reflect.get(target, key);
      if (key === 'collection')
        return (asked: string) =>
          asked === name ? watched(target.collection(asked)) : target.collection(asked);
      return typeof found === 'function' ? found.bind(target) : found;
    },
  });
}

describe('an import beside programs that write', function () {
  this.timeout(180_000);
  let opened: TestStore;
  let folder: string;
  let pages: Collection;
  beforeEach(async () => {
    opened = await testStore();
    pages = opened.store.db.collection('pages');
    folder = await mkdtemp(join(tmpdir(), 'mangrove-beside-'));
    const entities = ids.map((id) =>
      entity(PAGE, id, { documentId: documentIdOf(id), title: 'new', publishedAt: '2022-01-02' }),
    );
    await writeArchive(join(folder, 'archive'), { entities });
  });
  afterEach(async () => {
    await opened?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const importInto = async (db: Db, archive = 'archive'): Promise<ImportReport> =>
    importAll(
      await openArchiveSource(join(folder, archive), null),
      targetIn({ ...opened.store, db }, schema, folder),
    );
  const titles = async (): Promise<readonly Document[]> =>
    pages
      .find({}, { projection: { _id: 0, documentId: 1, title: 1 } })
      .sort({ documentId: 1 })
      .toArray();
  const all = ids.map((id) => ({ documentId: documentIdOf(id), title: 'new' }));

  it('gives no number that another program takes while the sequence is read', async () => {
    const { store } = opened;
    const sequences = createSequences(
      store,
      async () => 0,
      () => 32,
    );
    await sequences.take(PAGE, 32);
    const taken: number[] = [];
    const moment = { name: 'mangrove.sequences', method: 'findOne', _id: PAGE, after: true } as const;
    const db = interrupted(store.db, moment, async () => {
      taken.push(...(await sequences.take(PAGE, 32)));
    });
    const report = await importInto(db);
    expect(report.entries[PAGE]).to.eql({ read: 5, written: 5, leftOut: 0 });
    const given = (await pages.find({}).toArray()).map(({ id }) => Number(id));
    expect(given.filter((id) => taken.includes(id))).to.eql([]);
    const [next] = await sequences.take(PAGE, 1);
    expect(given).not.to.include(next);
  });

  it('stores an entry again that is deleted just before it is replaced', async () => {
    await importInto(opened.store.db);
    const db = interrupted(opened.store.db, { name: 'pages', method: 'bulkWrite' }, () =>
      pages.deleteMany({ documentId: { $in: [documentIdOf(2), documentIdOf(4)] } }),
    );
    const report = await importInto(db);
    expect(report.entries[PAGE]).to.eql({ read: 5, written: 5, leftOut: 0 });
    expect(await titles()).to.eql(all);
  });

  it('replaces an entry that is stored just before it would be', async () => {
    const other = { _id: new ObjectId(), id: 99, documentId: documentIdOf(3), locale: null, title: 'old' };
    const db = interrupted(opened.store.db, { name: 'pages', method: 'insertMany' }, () =>
      pages.insertOne(other),
    );
    const report = await importInto(db);
    expect(report.entries[PAGE]).to.eql({ read: 5, written: 5, leftOut: 0 });
    expect(report.problems).to.eql([]);
    expect(await titles()).to.eql(all);
  });

  describe('of documents with drafts', () => {
    /** More than a batch: drafts and published entries are written apart, as Strapi's archives have them. */
    const COUNT = 250;
    const STORY = 'api::story.story';
    let stories: Collection;
    let drafts: Collection;
    const storyOf = (id: number): string => `story${id}`.padEnd(24, 'a');
    beforeEach(async () => {
      stories = opened.store.db.collection('stories');
      drafts = opened.store.db.collection('stories.drafts');
      const numbers = Array.from({ length: COUNT }, (_, n) => n + 1);
      const entities = [null, '2022-01-02T00:00:00.000Z'].flatMap((publishedAt, at) =>
        numbers.map((id) => {
          const title = `${publishedAt === null ? 'draft' : 'published'} ${id}`;
          return entity(STORY, at * COUNT + id, { documentId: storyOf(id), title, publishedAt });
        }),
      );
      await writeArchive(join(folder, 'stories'), { entities });
    });
    const schemaOfStories = schemaOf(
      typeFile('story', { title: { type: 'string' } }, { draftAndPublish: true, file: { info: STORIES } }),
    );
    const importStories = async (db: Db): Promise<ImportReport> =>
      importAll(
        await openArchiveSource(join(folder, 'stories'), null),
        targetIn({ ...opened.store, db }, schemaOfStories, folder),
        { verify: true },
      );

    it('writes drafts again that are deleted before what is published is stored', async () => {
      const gone = [storyOf(3), storyOf(240)];
      const db = interrupted(opened.store.db, { name: 'stories', method: 'insertMany' }, () =>
        drafts.deleteMany({ documentId: { $in: gone } }),
      );
      const report = await importStories(db);
      expect(report.verified?.differences).to.eql([]);
      expect(report.entries[STORY]).to.eql({ read: 2 * COUNT, written: 2 * COUNT, leftOut: 0 });
      expect(await drafts.countDocuments()).to.equal(COUNT);
      const [draft] = await drafts.find({ documentId: storyOf(240) }).toArray();
      expect(draft?.['title']).to.equal('draft 240');
    });

    it('lets nobody remove a draft alone who has read it before what is published was stored', async () => {
      const read: Document[] = [];
      const db = interrupted(opened.store.db, { name: 'stories', method: 'insertMany' }, async () => {
        read.push(...(await drafts.find({}, { projection: { documentId: 1, _rev: 1 } }).toArray()));
      });
      let removed = 0;
      const later = interrupted(
        db,
        { name: 'stories.drafts', method: 'updateMany', after: true },
        async () => {
          const published = new Set(await stories.distinct('documentId'));
          for (const { _id, _rev, documentId } of read)
            if (published.has(documentId)) removed += (await drafts.deleteOne({ _id, _rev })).deletedCount;
        },
      );
      await importStories(later);
      expect(read.length).to.equal(200);
      expect(removed).to.equal(0);
      expect([await drafts.countDocuments(), await stories.countDocuments()]).to.eql([COUNT, COUNT]);
    });

    it('leaves a document deleted that was deleted as a whole when both were stored', async () => {
      const db = interrupted(
        opened.store.db,
        { name: 'stories.drafts', method: 'updateMany', after: true },
        async () => {
          for (const versions of [stories, drafts]) await versions.deleteMany({ documentId: storyOf(3) });
        },
      );
      await importStories(db);
      expect([await drafts.countDocuments(), await stories.countDocuments()]).to.eql([COUNT - 1, COUNT - 1]);
    });
  });
});

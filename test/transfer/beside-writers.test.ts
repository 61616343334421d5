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

type Method = 'findOne' | 'bulkWrite' | 'insertMany';

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

  const importInto = async (db: Db): Promise<ImportReport> =>
    importAll(
      await openArchiveSource(join(folder, 'archive'), null),
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
});

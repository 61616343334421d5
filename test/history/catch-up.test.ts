/** What was stored without being kept is kept in the background, while others write. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type Collection, type Db, ObjectId } from 'mongodb';
import { keepMissed } from '../../src/documents/history/catch-up.js';
import { existingType } from '../../src/schema/find.js';
import { countVersions, eraseVersions } from '../../src/store/history/list.js';
import { unkeptIn } from '../../src/store/history/unkept.js';
import { FOREVER, type StoredVersion, versionOf } from '../../src/store/history/versions.js';
import { JOURNAL, noteOf } from '../../src/store/writes/journal-head.js';
import { openWriter, type Writer } from '../../src/store/writes/write.js';
import { openArchiveSource } from '../../src/transfer/strapi/source.js';
import { groupBy } from '../../src/values/group.js';
import { testDocuments } from '../support/documents.js';
import { type TestStore, testStore } from '../support/engine.js';
import { entity, importAll, targetIn, writeArchive } from '../support/transfer.js';
import { ARTICLE, AUTHOR, flaws, library, type Row, stored, storedAt } from './library.js';
import { openDocuments } from './open.js';

/** More than are looked at together. */
const MANY = 520;
const DAY = 86_400_000;

describe('history: what was missed', function () {
  this.timeout(180_000);
  let opened: TestStore;
  let script: Awaited<ReturnType<typeof openDocuments>>;
  let writer: Writer;
  before(async () => {
    opened = await testStore();
    script = await openDocuments(opened.uri, opened.name, library(), false);
    writer = await openWriter(opened.store);
  });
  after(async () => {
    await script?.store.close();
    await opened?.close();
  });

  const authors = () => opened.store.db.collection<Row>('authors');
  const history = () => opened.store.db.collection<StoredVersion>('authors.history');
  let largest = 0;
  const observed: Pick<Writer, 'commit'> = {
    commit: (write) => {
      largest = Math.max(largest, write.steps.length);
      return writer.commit(write);
    },
  };
  const authorType = existingType(library(), AUTHOR);
  const keep = () =>
    keepMissed({ store: opened.store, schema: library(), writer: { ...writer, ...observed } });
  const documentIdOf = (n: number): string => `other${String(n).padStart(19, '0')}`;
  let made = 0;
  /** As another program stores them. */
  const foreign = async (count: number): Promise<readonly string[]> => {
    const at = new Date(Date.now() - DAY);
    const ids = Array.from({ length: count }, () => documentIdOf(++made));
    await authors().insertMany(
      ids.map((documentId) => ({
        _id: new ObjectId(ObjectId.generate(at.getTime() / 1000)),
        id: 1_000_000 + Number(documentId.slice('other'.length)),
        documentId,
        locale: null,
        name: 'theirs',
        createdAt: at,
        updatedAt: at,
        publishedAt: at,
      })) as never,
    );
    return ids;
  };
  const namesOf = async (documentId: string): Promise<readonly unknown[]> =>
    (await history().find({ documentId }).sort({ '_version.from': 1 }).toArray()).map(({ name }) => name);

  it('is lost neither by writes nor by deletions that come before it is compared, or meanwhile', async () => {
    const ids = await foreign(MANY);
    const { documents, store } = script;
    const changed = ids.filter((_, at) => at % 35 === 0);
    const removed = ids.filter((_, at) => at % 35 === 1);
    const write = async (): Promise<void> => {
      for (const [at, documentId] of changed.entries()) {
        await documents(AUTHOR).update({ documentId, data: { name: 'ours' } });
        await documents(AUTHOR).delete({ documentId: removed[at] ?? '' });
      }
    };
    const gone = ids.at(-1) ?? '';
    await Promise.all([write(), keep(), keep()]);
    await authors().deleteOne({ documentId: gone });
    await keep();
    const rows = await history().find({}).sort({ '_version.from': 1 }).toArray();
    const names = groupBy(rows, (row) => String(row['documentId']));
    expect([...names.keys()]).to.have.members([...ids]);
    for (const [documentId, versions] of names)
      expect(versions.map(({ name }) => name)).to.deep.equal(
        changed.includes(documentId) ? ['theirs', 'ours'] : ['theirs'],
      );
    expect(await storedAt(store.db, new Date())).to.deep.equal(await stored(store.db));
    expect(largest, 'steps of a commit, for which writes to its entries wait').to.be.within(20, 40);
    const before = await storedAt(store.db, new Date(Date.now() - DAY / 2));
    expect(before['authors'], 'what there was before Mangrove wrote').to.have.length(MANY);
  });

  for (const keeper of ['the comparison', 'a write', 'a transaction'])
    it(`begins where the entry before it ended, as ${keeper} keeps it, though its id was made before`, async () => {
      const [documentId = ''] = await foreign(1);
      await keep();
      const entry = await authors().findOne({ documentId });
      await authors().deleteOne({ documentId });
      await keep();
      // As an import stores it: its id is made before the old entry is deleted, and says only the second.
      const _id = new ObjectId(ObjectId.generate(Date.now() / 1000 - 5));
      await authors().insertOne({ ...entry, _id, name: 'again' } as never);
      const change = { documentId, data: { name: 'ours' } };
      if (keeper === 'a write') await script.documents(AUTHOR).update(change);
      if (keeper === 'a transaction')
        await script.documents.transaction(async (within) => {
          await within(AUTHOR).update(change);
        });
      await keep();
      const versions = await history().find({ documentId }).sort({ '_version.from': 1 }).toArray();
      expect(versions.map(({ name }) => name)).to.deep.equal(
        keeper === 'the comparison' ? ['theirs', 'again'] : ['theirs', 'again', 'ours'],
      );
      for (const [at, { _version }] of versions.entries())
        expect(_version.until).to.deep.equal(versions[at + 1]?._version.from ?? FOREVER);
    });

  it('is kept of each entry where other programs choose the ids: objects, and strings like ObjectIds', async () => {
    const alike = new ObjectId();
    const ids = [{ shop: 1 }, { shop: 2 }, alike, String(alike), 1];
    const documentIds = ids.map(() => documentIdOf(++made));
    const set = (name: string) =>
      Promise.all(
        ids.map((_id, at) => {
          const row = {
            _rev: new ObjectId(),
            id: 2_000_000 + at,
            documentId: documentIds[at],
            locale: null,
            name: `${name} ${at}`,
          };
          return authors().replaceOne({ _id: _id as never }, row as never, { upsert: true });
        }),
      );
    await set('first');
    await keep();
    await keep();
    await set('second');
    const { documents } = script;
    await documents.transaction(async (inside) => {
      for (const [at, documentId] of documentIds.entries())
        await inside(AUTHOR).update({ documentId, data: { name: `third ${at}` } });
    });
    for (const [at, documentId] of documentIds.entries())
      expect(await namesOf(documentId)).to.deep.equal([`first ${at}`, `second ${at}`, `third ${at}`]);
    for (const documentId of documentIds) await documents(AUTHOR).delete({ documentId });
  });

  it('is not found where nothing was missed, however many write meanwhile', async () => {
    const { documents, store } = script;
    await history().deleteMany({});
    await authors().deleteMany({});
    const ids = await documents.together(
      AUTHOR,
      Array.from({ length: 30 }, () => ({ data: { name: 'n0' } })),
    );
    let isOver = false;
    let times = 0;
    const compare = async (): Promise<void> => {
      for (; !isOver; times++) await keep();
    };
    const write = async (): Promise<void> => {
      for (let at = 1; at < 9 || times < 3; at++) {
        await Promise.all(
          ids.map((documentId) => documents(AUTHOR).update({ documentId, data: { name: `n${at}` } })),
        );
        if (at < 9) await documents(AUTHOR).delete({ documentId: ids[at] ?? '' });
      }
      isOver = true;
    };
    await Promise.all([compare(), write()]);
    expect(await flaws(store.db)).to.deep.equal([]);
    expect(await storedAt(store.db, new Date())).to.deep.equal(await stored(store.db));
  });

  /** The database to someone who compares, and meanwhile, after versions were listed and before their entries are read, `act`. */
  const interrupted = (act: () => Promise<unknown>): Db => {
    const { db } = opened.store;
    let isDone = false;
    const collection = (name: string): Collection<Row> => {
      const entries = db.collection<Row>(name);
      if (name !== 'authors') return entries;
      const find = (filter: object, options?: object): object => ({
        [Symbol.asyncIterator]: () => entries.find(filter, options)[Symbol.asyncIterator](),
        async toArray() {
          if (!isDone) await act();
          isDone = true;
          return entries.find(filter, options).toArray();
        },
      });
      return new Proxy(entries, { get: (_, key) => (key === 'find' ? find : Reflect.get(entries, key)) });
    };
    return new Proxy(db, { get: (_, key) => (key === 'collection' ? collection : Reflect.get(db, key)) });
  };

  it('is not what a write removes while it is compared', async () => {
    const { documents } = script;
    const documentId = String((await documents(AUTHOR).create({ data: { name: 'gone' } })).documentId);
    const isOurs = (one: Row | null): boolean => one?.['documentId'] === documentId;
    let isRemoved = false;
    const db = interrupted(async () => {
      await documents(AUTHOR).delete({ documentId });
      isRemoved = true;
    });
    for await (const some of unkeptIn(db, authorType, 'published'))
      expect(some.filter(({ entry, current }) => isOurs(entry) || isOurs(current))).to.deep.equal([]);
    expect(isRemoved).to.equal(true);
  });

  it('is kept once if another process keeps it while it is compared', async () => {
    const [documentId = ''] = await foreign(1);
    const store = { ...opened.store, db: interrupted(keep) };
    await keepMissed({ store, schema: library(), writer });
    await keep();
    const kept = await history().find({ documentId }).toArray();
    expect(kept.map(({ name, _version }) => [name, _version.until])).to.deep.equal([['theirs', FOREVER]]);
  });

  it('is kept by a server in the background: it is open at once, and closes at once', async () => {
    const { uri, name, store } = opened;
    const ids = await foreign(MANY);
    const server = await openDocuments(uri, name);
    expect(await namesOf(ids[0] ?? ''), 'not awaited').to.deep.equal([]);
    for (let tries = 0; tries < 600 && (await namesOf(ids.at(-1) ?? '')).length === 0; tries++)
      await sleep(100);
    await server.store.close();
    const kept = await history().countDocuments({ documentId: { $in: [...ids] } });
    expect(kept, 'at least the first list').to.be.above(400);
    expect(
      await store.db.collection('mangrove.settings').countDocuments({ _id: 'history/lock' as never }),
    ).to.equal(0);
  });

  it('is not what is erased before it is stored, nor what the entry was before, if its past is erased', async () => {
    const { documents, store } = script;
    const [erased = ''] = await foreign(1);
    const eraseAll = async (): Promise<void> => {
      await documents(AUTHOR).delete({ documentId: erased });
      await eraseVersions(store.db, authorType, erased, { past: false });
    };
    let isErased = false;
    const commit: Writer['commit'] = async (given) => {
      if (!isErased) await eraseAll();
      isErased = true;
      return writer.commit(given);
    };
    await keepMissed({ store: opened.store, schema: library(), writer: { ...writer, commit } });
    expect(await namesOf(erased)).to.deep.equal([]);

    const documentId = String((await documents(AUTHOR).create({ data: { name: 'a person' } })).documentId);
    await authors().updateOne({ documentId }, { $set: { name: 'nobody', _rev: new ObjectId() } });
    expect(await eraseVersions(store.db, authorType, documentId, { past: true })).to.equal(1);
    await keep();
    expect(await namesOf(documentId)).to.deep.equal(['nobody']);
  });

  it('is erased with the past if a program changed the entry and kept its _rev', async () => {
    const { documents, store } = script;
    const versions = () => history().find({ documentId }).project({ name: 1, _id: 0 }).toArray();
    const documentId = String((await documents(AUTHOR).create({ data: { name: 'a person' } })).documentId);
    await documents(AUTHOR).update({ documentId, data: { name: 'the same person' } });
    expect(await eraseVersions(store.db, authorType, documentId, { past: true })).to.equal(1);
    expect(await versions()).to.deep.equal([{ name: 'the same person' }]);
    expect(await eraseVersions(store.db, authorType, documentId, { past: true })).to.equal(0);
    await authors().updateOne({ documentId }, { $set: { name: 'nobody' } });
    expect(await countVersions(store.db, authorType, documentId, { past: true })).to.equal(1);
    expect(await eraseVersions(store.db, authorType, documentId, { past: true })).to.equal(1);
    expect(await versions()).to.deep.equal([]);
    await documents(AUTHOR).update({ documentId, data: { name: 'somebody' } });
    expect(await versions()).to.deep.include({ name: 'somebody' });
    expect(JSON.stringify(await versions())).not.to.include('person');
  });

  it('ended when the entry that followed began, if its version is still being written', async () => {
    const { store } = script;
    const [before, after] = [new Date(Date.now() - 2 * DAY), new Date(Date.now() - DAY)];
    const [documentId = ''] = await foreign(1);
    await keep();
    await history().updateMany({ documentId }, { $set: { '_version.from': before } });
    const entry = await authors().findOne({ documentId });
    const _id = new ObjectId();
    await authors().deleteOne({ documentId });
    await authors().insertOne({ ...entry, _id } as never);
    const version = versionOf({ ...entry, _id }, { status: 'published', from: after, made: null });
    const steps = [
      { collection: 'authors', id: _id, before: { ...entry, _id }, after: { ...entry, _id } },
      { collection: 'authors.history', id: _id, before: null, after: version },
    ];
    const { head } = noteOf({ steps, events: [] }, 'a server');
    await store.db.collection(JOURNAL).insertOne(head as never);
    const keeping = keep();
    await sleep(300);
    await history().insertOne(version as never);
    await store.db.collection(JOURNAL).deleteOne({ _id: head._id as never });
    await keeping;
    const marks = (await history().find({ documentId }).toArray()).map(({ _version }) => _version);
    expect(marks.map(({ from, until }) => ({ from, until }))).to.have.deep.members([
      { from: before, until: after },
      { from: after, until: FOREVER },
    ]);
  });

  it('the end of an entry, and the beginning of the one that followed it, agree if two processes keep them at the same time', async () => {
    const { documents } = script;
    const [documentId = ''] = await foreign(1);
    await keep();
    const entry = await authors().findOne({ documentId });
    await authors().deleteOne({ documentId });
    const commit: Writer['commit'] = async (write) => {
      if (write.steps.some(({ id }) => String(id) === String(entry?._id))) {
        await authors().insertOne({ ...entry, _id: new ObjectId() } as never);
        await documents(AUTHOR).update({ documentId, data: { name: 'mine' } });
      }
      return writer.commit(write);
    };
    await keepMissed({ store: opened.store, schema: library(), writer: { ...writer, commit } });
    const kept = await history().find({ documentId }).sort({ '_version.from': 1 }).toArray();
    expect(kept.map(({ name }) => name)).to.deep.equal(['theirs', 'theirs', 'mine']);
    const [first, second, third] = kept.map(({ _version }) => _version);
    expect(first?.until).to.deep.equal(second?.from);
    expect(second?.until).to.deep.equal(third?.from);
    expect(third?.until).to.deep.equal(FOREVER);
  });

  for (const mode of ['merge', 'replace'] as const)
    it(`does not change the past, if an import is to ${mode} what is there, whatever times it has`, async () => {
      const schema = library();
      const own = await testDocuments(schema);
      const folder = await mkdtemp(join(tmpdir(), 'mangrove-history-'));
      try {
        const { documents, store } = own;
        const [replaced = '', other = ''] = await documents.together(ARTICLE, [
          { data: { title: 'mine' }, status: 'published' },
          { data: { title: 'other' }, status: 'published' },
        ]);
        const versions = store.db.collection<StoredVersion>('articles.history');
        const since = Date.now() - DAY;
        await versions.updateMany({}, { $set: { '_version.from': new Date(since) } });
        const past = new Date(since + 1000);
        const was = await storedAt(store.db, past);
        const old = { updatedAt: '2020-01-01T00:00:00.000Z' };
        const entities = [
          entity(ARTICLE, 1, { title: 'theirs', documentId: replaced, publishedAt: null, ...old }),
          entity(ARTICLE, 2, {
            title: 'ahead',
            documentId: other,
            publishedAt: '2020-01-01T00:00:00.000Z',
            updatedAt: '2090-01-01T00:00:00.000Z',
          }),
        ];
        const source = await openArchiveSource(
          await writeArchive(join(folder, 'archive'), { entities }),
          null,
        );
        await importAll(source, targetIn(store, schema, folder), { mode });
        await documents(ARTICLE).update({ documentId: replaced, data: { views: 1 } });
        await keepMissed({ store, schema, writer: await openWriter(store) });
        expect(await storedAt(store.db, past)).to.deep.equal(was);
        expect(await storedAt(store.db, new Date())).to.deep.equal(await stored(store.db));
        const kept = await versions.find().sort({ '_version.from': 1 }).toArray();
        const lists = groupBy(kept, ({ documentId, _version }) => `${documentId} ${_version.status}`);
        for (const list of lists.values())
          for (const [at, { _version }] of list.entries())
            expect(_version.until).to.be.at.most(list[at + 1]?._version.from ?? FOREVER);
      } finally {
        await own.close();
        await rm(folder, { recursive: true, force: true });
      }
    });
});

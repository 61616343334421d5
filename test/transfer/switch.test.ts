/** Replacing content: what a process left incomplete is completed by the next one that starts. */
import { expect } from 'chai';
import type { Db } from 'mongodb';
import { collectionName } from '../../src/schema/stored/collections.js';
import { completeSwitch, noteReading, switchCollections } from '../../src/store/transfer/switch-over.js';
import { testStore } from '../support/engine.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const generationOf = (name: unknown): string => String(name).split('/')[0] ?? '';

describe('switching to new collections', function () {
  this.timeout(180_000);

  it('is completed by the next start, and only then forgotten', async () => {
    const first = await startTestServer();
    try {
      const { documents, schema, store } = first.project;
      const uids = ['api::category.category', 'api::restaurant.restaurant'];
      const pairs = uids.map((uid) => {
        const type = schema.contentTypes.get(uid);
        const to = type ? collectionName(type, 'published') : '';
        return { from: `mangrove.next.${to}`, to };
      });
      for (const uid of uids) await documents(uid).create({ data: { name: 'old' }, status: 'published' });
      for (const { from, to } of pairs) {
        const [old] = await store.db.collection(to).find({}).toArray();
        await store.db.collection(from).insertOne({ ...old, name: 'new' });
      }
      const [done] = pairs;
      const settings = store.db.collection<{ _id: string; collections: object[] }>('mangrove.settings');
      await settings.insertOne({ _id: 'switch', collections: pairs });
      // One collection was in place before the process ended.
      if (done) await switchCollections(store.db, [done]);
      await settings.insertOne({ _id: 'switch', collections: pairs });

      const second = await startTestServer({}, { beside: first });
      try {
        for (const uid of uids) {
          const found = await second.project.documents(uid).findMany({ status: 'published' });
          expect(found.map(({ name }) => name)).to.eql(['new']);
        }
        expect(await settings.findOne({ _id: 'switch' })).to.equal(null);
        const left = await store.db.listCollections({}, { nameOnly: true }).toArray();
        expect(left.map(({ name }) => name).filter((name) => /^mangrove\.next\./.test(name))).to.eql([]);
      } finally {
        await second.close();
      }
    } finally {
      await first.close();
    }
  });

  it('shows every reader the old content or the new, in all processes', async () => {
    const first = await startTestServer();
    const second = await startTestServer({}, { beside: first });
    try {
      const { documents, schema, store } = first.project;
      const uids = ['api::category.category', 'api::restaurant.restaurant', 'api::chef.chef'];
      const collections = uids.flatMap((uid) => {
        const type = schema.contentTypes.get(uid);
        if (!type) return [];
        const names = new Set([collectionName(type, 'published'), collectionName(type, 'draft')]);
        return [...names].map((to) => ({ from: `mangrove.next.${to}`, to }));
      });
      const make = (uid: string, data: object) => documents(uid).create({ data, status: 'published' });
      for (let at = 0; at < 20; at += 1) {
        const category = await make('api::category.category', { name: `0/${at}`, slug: `c${at}` });
        await make('api::restaurant.restaurant', {
          name: `0/${at}`,
          slug: `r${at}`,
          categories: [category.documentId],
        });
      }
      const seen = new Set<string>();
      let ended = false;
      const read = async ({ project }: TestServer): Promise<void> => {
        while (!ended) {
          const found = await project.documents('api::restaurant.restaurant').findMany({
            status: 'published',
            populate: { categories: true },
            pagination: { limit: 100 },
          });
          const names = found.flatMap(({ name, categories }) => [
            name,
            ...(categories as readonly { readonly name: unknown }[]).map((category) => category.name),
          ]);
          seen.add(`${names.length} of ${[...new Set(names.map(generationOf))].join(' and ')}`);
        }
      };
      const readers = [read(first), read(first), read(second), read(second)];
      for (const generation of [1, 2, 3]) {
        for (const { from, to } of collections) {
          const entries = await store.db.collection(to).find({}).toArray();
          if (entries.length > 0)
            await store.db.collection(from).insertMany(
              entries.map((entry) => ({
                ...entry,
                name: `${generation}${String(entry['name']).slice(1)}`,
              })),
            );
        }
        await switchCollections(store.db, collections);
      }
      const found = await first.project.documents('api::category.category').findMany({ status: 'published' });
      expect(new Set(found.map(({ name }) => generationOf(name)))).to.eql(new Set(['3']));
      ended = true;
      await Promise.all(readers);
      for (const each of seen) expect(each).to.match(/^40 of \d$/);
    } finally {
      await second.close();
      await first.close();
    }
  });

  it('does not wait for a process that has died', async () => {
    const server = await startTestServer();
    try {
      const { db } = server.project.store;
      await noteReading(db, 'gone');
      await switchCollections(db, []);
      const left = await db.collection<{ _id: string }>('mangrove.settings').findOne({ _id: 'reading/gone' });
      expect(left).to.equal(null);
    } finally {
      await server.close();
    }
  });
  it('is completed by one of several processes that find it at once', async () => {
    const { store, close } = await testStore();
    try {
      const { db } = store;
      const collections = ['a', 'b'].map((to) => ({
        from: `mangrove.next.${to}.drafts`,
        to: `${to}.drafts`,
      }));
      for (const { from, to } of collections) {
        await db.collection(to).insertOne({ name: 'old' });
        await db.collection(from).insertMany(Array.from({ length: 50 }, (_, n) => ({ name: 'new', n })));
      }
      const note = { _id: 'switch', id: 'left', beat: 0, collections };
      await db.collection<{ _id: string }>('mangrove.settings').insertOne(note);
      const placing = new Set<number>();
      const watched = (process: number): Db =>
        new Proxy(db, {
          get: (target, key) =>
            key !== 'collection'
              ? Reflect.get(target, key)
              : (name: string) => {
                  if (name.startsWith('mangrove.next.')) placing.add(process);
                  return target.collection(name);
                },
        });
      await Promise.all([1, 2, 3, 4].map((process) => completeSwitch(watched(process))));
      expect(placing.size).to.equal(1);
      for (const { to } of collections)
        expect(await db.collection(to).countDocuments({ name: 'new' })).to.equal(50);
    } finally {
      await close();
    }
  });
});

/** New content in the place of old: what a process left half done is completed by whoever starts next. */
import { expect } from 'chai';
import { collectionName } from '../../src/pipeline/collection.js';
import { contentTypeOf } from '../../src/schema/find.js';
import { switchCollections } from '../../src/store/switch-over.js';
import { startTestServer } from '../support/test-server.js';

describe('a switch to new collections', function () {
  this.timeout(60_000);

  it('is completed by the next start, and only then forgotten', async () => {
    const first = await startTestServer();
    try {
      const { documents, schema, store } = first.project;
      const uids = ['api::category.category', 'api::restaurant.restaurant'];
      const pairs = uids.map((uid) => {
        const type = contentTypeOf(schema, uid);
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
      // One collection came as far as its place before the process ended.
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
});

/** `documents.transaction`: several writes as one, on servers with transactions and with the journal. */
import { expect } from 'chai';
import { ApiError } from '../../src/errors.js';
import { startTwo, type TwoServers } from '../support/standalone.js';

const ARTICLE = 'api::article.article';
const CATEGORY = 'api::category.category';

for (const deployment of ['transactions', 'standalone'] as const)
  describe(`transactions of documents: ${deployment}`, () => {
    let two: TwoServers;
    before(async () => {
      two = await startTwo(deployment, {});
    });
    after(() => two.close());
    const documents = (at = 0) => (two.servers[at % 2] ?? two.servers[0]).project.documents;
    const db = () => two.servers[0].project.store.db;
    let made = 0;
    const title = () => `t${++made}`;

    const failing = async (work: () => Promise<unknown>): Promise<ApiError> => {
      const error = await work().then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(error).to.be.instanceOf(ApiError);
      return error as ApiError;
    };

    it('writes build on each other and are stored together', async () => {
      const name = title();
      const made = await documents().transaction(async (inside) => {
        const { documentId: category } = await inside(CATEGORY).create({ data: { name } });
        const { documentId } = await inside(ARTICLE).create({
          data: { title: name, categories: [category] },
        });
        await inside(ARTICLE).update({ documentId: String(documentId), data: { title: `${name}!` } });
        const live = await inside(ARTICLE).publish?.({ documentId: String(documentId) });
        expect(live?.entries[0]).to.include({ title: `${name}!`, documentId });
        const seen = await inside(ARTICLE).findOne({ documentId: String(documentId), status: 'published' });
        expect(seen).to.include({ title: `${name}!` });
        expect(await documents()(ARTICLE).findOne({ documentId: String(documentId) }), 'outside').to.equal(
          null,
        );
        return { documentId: String(documentId), category };
      });
      const stored = await documents(1)(ARTICLE).findOne({
        documentId: made.documentId,
        status: 'published',
        populate: ['categories'],
      });
      expect(stored).to.include({ title: `${name}!` });
      const [linked] = (stored?.['categories'] ?? []) as { documentId: unknown }[];
      expect(linked?.documentId).to.equal(made.category);
      const [draft, live] = await Promise.all(
        ['articles.drafts', 'articles'].map((one) =>
          db().collection(one).findOne({ documentId: made.documentId }),
        ),
      );
      expect(String(draft?.['_rev']), 'published as it is').to.equal(String(live?.['_rev']));
    });

    it('an error stores nothing, nor a write whose error was handled', async () => {
      const name = title();
      const error = await failing(() =>
        documents().transaction(async (inside) => {
          await inside(CATEGORY).create({ data: { name } });
          await inside(ARTICLE).update({ documentId: 'none', data: { title: ['no text'] } });
          await inside(ARTICLE).create({ data: { title: ['no text'] } });
        }),
      );
      expect(error.status).to.equal(400);
      expect(await documents()(CATEGORY).count({ filters: { name } })).to.equal(0);
      await documents().transaction(async (inside) => {
        await inside(CATEGORY).create({ data: { name } });
        await failing(() => inside(CATEGORY).create({ data: { name: ['no text'] } }));
      });
      expect(await documents()(CATEGORY).count({ filters: { name } })).to.equal(1);
    });

    it('a unique value is taken by an earlier write, and free after its removal', async () => {
      const slug = title();
      const data = { title: slug, slug };
      const error = await failing(() =>
        documents().transaction(async (inside) => {
          await inside(ARTICLE).create({ data, status: 'published' });
          await inside(ARTICLE).create({ data, status: 'published' });
        }),
      );
      expect(error.message).to.equal('This attribute must be unique');
      const { documentId } = await documents()(ARTICLE).create({ data, status: 'published' });
      const other = await documents()(ARTICLE).create({ data: { title: 'other' }, status: 'published' });
      await documents().transaction(async (inside) => {
        await inside(ARTICLE).update({
          documentId: String(other.documentId),
          data: { title: 'touched' },
          status: 'published',
        });
        await inside(ARTICLE).delete({ documentId: String(documentId) });
        await inside(ARTICLE).update({ documentId: String(other.documentId), data, status: 'published' });
      });
      expect(await documents()(ARTICLE).count({ filters: { slug }, status: 'published' })).to.equal(1);
      const claims = await db()
        .collection('mangrove.claims')
        .find({ _id: { $regex: `^${ARTICLE}/slug/` } as never, owner: String(documentId) })
        .toArray();
      expect(claims, 'of the removed document').to.deep.equal([]);
    });

    it('a document that is created and removed leaves nothing', async () => {
      const name = title();
      const before = await db().collection('mangrove.claims').countDocuments();
      await documents().transaction(async (inside) => {
        const { documentId } = await inside(ARTICLE).create({
          data: { title: name, slug: name },
          status: 'published',
        });
        await inside(ARTICLE).delete({ documentId: String(documentId) });
      });
      expect(await documents()(ARTICLE).count({ filters: { title: name } })).to.equal(0);
      expect(await db().collection('mangrove.claims').countDocuments()).to.equal(before);
    });

    it('reads that would leave out a change are refused, others are not', async () => {
      const name = title();
      await documents()(CATEGORY).create({ data: { name } });
      await documents().transaction(async (inside) => {
        const { documentId } = await inside(ARTICLE).create({ data: { title: name } });
        expect(await inside(CATEGORY).count({ filters: { name } })).to.equal(1);
        const id = String(documentId);
        for (const read of [
          () => inside(ARTICLE).findMany(),
          () => inside(ARTICLE).count(),
          () => inside(ARTICLE).findFirst({ filters: { title: name } }),
          () => inside(ARTICLE).findOne({ documentId: id, populate: '*' }),
          () => inside(ARTICLE).findOne({ documentId: id, filters: { title: 'other' } }),
          () => inside(ARTICLE).update({ documentId: id, data: {}, populate: '*' }),
        ])
          expect((await failing(read)).code).to.equal('transaction-read');
        expect(await inside(ARTICLE).findOne({ documentId: id })).to.include({ title: name });
      });
    });

    it('transactions that change the same documents at once are carried out one after the other', async () => {
      const [one = '', two = ''] = await Promise.all(
        [0, 1].map(async () =>
          String(
            (await documents()(ARTICLE).create({ data: { title: '0' }, status: 'published' })).documentId,
          ),
        ),
      );
      const add = (at: number) =>
        documents(at).transaction(async (inside) => {
          for (const documentId of at % 4 < 2 ? [one, two] : [two, one]) {
            const before = Number((await inside(ARTICLE).findOne({ documentId }))?.['title']);
            await inside(ARTICLE).update({
              documentId,
              data: { title: String(before + 1) },
              status: 'published',
            });
          }
        });
      await Promise.all(Array.from({ length: 12 }, (_, at) => add(at)));
      for (const documentId of [one, two]) {
        const stored = await documents()(ARTICLE).findOne({ documentId, status: 'published' });
        expect(stored?.['title']).to.equal('12');
      }
    });

    it('nothing can be written after its end', async () => {
      const late = await documents().transaction(async (inside) => inside);
      expect((await failing(() => late(CATEGORY).create({ data: {} }))).code).to.equal('transaction-over');
    });

    it('a document of a single type is created once', async () => {
      const single = 'api::homepage.homepage';
      if (!two.servers[0].project.schema.contentTypes.has(single)) return;
      await documents().transaction(async (inside) => {
        const first = await inside(single).create({ data: {} });
        const second = await inside(single).create({ data: {} });
        expect(second.documentId).to.equal(first.documentId);
        await inside(single).delete({ documentId: String(first.documentId) });
        await inside(single).create({ data: {} });
      });
      expect(await documents()(single).count({ status: 'draft' })).to.equal(1);
    });
  });

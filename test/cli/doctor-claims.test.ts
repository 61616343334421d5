/** `mangrove doctor` compares stored claims with the entries that they are for. */
import { expect } from 'chai';
import { makeConfig } from '../../src/config/load.js';
import { examineClaims } from '../../src/documents/claims/examine-claims.js';
import { createReader } from '../../src/documents/read/create-reader.js';
import { createDocuments } from '../../src/documents/service.js';
import type { Documents } from '../../src/documents/types.js';
import { ensureIndexes } from '../../src/store/indexes/sync.js';
import { type TestStore, testStore } from '../support/engine.js';
import { schemaOf, typeFile } from '../support/schemas.js';

const ITEM = 'api::item.item';
const BOX = 'api::box.box';
const schema = schemaOf(
  typeFile(
    'item',
    {
      code: { type: 'integer', unique: true },
      box: { type: 'relation', relation: 'oneToOne', target: BOX, inversedBy: 'item' },
    },
    { draftAndPublish: true },
  ),
  typeFile('box', { item: { type: 'relation', relation: 'oneToOne', target: ITEM, mappedBy: 'box' } }),
);

describe('mangrove doctor and claims', () => {
  let test: TestStore;
  let documents: Documents;
  const ids: string[] = [];
  const start = async (): Promise<Documents> => {
    const config = makeConfig('.');
    const { store } = test;
    return createDocuments({ schema, store, config, reader: createReader({ schema, store, config }) });
  };
  before(async () => {
    test = await testStore();
    await ensureIndexes(test.store, schema);
    documents = await start();
    for (const code of [1, 2, 3]) {
      const box = await documents(BOX).create({ data: {} });
      const data = { code, box: box['documentId'] };
      ids.push(String((await documents(ITEM).create({ data, status: 'published' }))['documentId']));
    }
  });
  after(() => test.close());

  const claims = () =>
    test.store.db.collection<{ _id: string; owner: string; _rev: string }>('mangrove.claims');
  const found = (limit = 100) => examineClaims(test.store, schema, { limit, onBatch: () => undefined });
  const COMPLETE = [{ name: 'claims-complete' }];

  it('finds nothing wrong with what was written', async () => {
    expect(await found()).to.deep.equal(COMPLETE);
  });

  it('finds missing claims, which the next start creates', async () => {
    const owner = ids[0] ?? '';
    const former = await claims().find({ owner }).toArray();
    // The value, and the target of both versions.
    expect(former).to.have.length(3);
    await claims().deleteMany({ owner });
    await start();
    expect(await found()).to.deep.equal([{ name: 'claims-missing', uid: ITEM, count: 3 }]);
    await start();
    expect(await found()).to.deep.equal(COMPLETE);
    expect(await claims().find({ owner }).toArray()).to.have.length(3);
  });

  it('finds claims of others, and claims of what no entry has', async () => {
    const [claim] = await claims()
      .find({ owner: ids[1] ?? '', _id: /code/ })
      .toArray();
    if (!claim) throw new Error('there is no claim');
    await claims().updateOne({ _id: claim._id }, { $set: { owner: ids[2] ?? '' } });
    await claims().insertOne({ _id: `${ITEM}/code//of nobody`, owner: 'gone', _rev: 'gone' });
    expect(await found()).to.deep.equal([
      { name: 'claims-of-others', uid: ITEM, count: 1 },
      { name: 'claims-abandoned', uid: ITEM, count: 2 },
    ]);
    await claims().updateOne({ _id: claim._id }, { $set: { owner: claim.owner } });
    await claims().deleteOne({ owner: 'gone' });
    expect(await found()).to.deep.equal(COMPLETE);
  });

  it('raises no alarm while entries are written', async () => {
    let isOver = false;
    const writing = (async () => {
      for (let code = 10; code < 40; code++)
        await documents(ITEM).update({
          documentId: ids[code % 3] ?? '',
          data: { code },
          status: 'published',
        });
      isOver = true;
    })();
    while (!isOver) expect(await found()).to.deep.equal(COMPLETE);
    await writing;
  });

  it('compares no more than it may', async () => {
    let compared = 0;
    const onBatch = (count: number): void => {
      compared += count;
    };
    await examineClaims(test.store, schema, { limit: 2, onBatch });
    // Two collections, and two kinds of claims.
    expect(compared).to.equal(8);
  });
});

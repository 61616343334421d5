/** Totals of lists on a server whose metadata is wrong, as MongoDB's may be after a crash. */
import { expect } from 'chai';
import { createReader } from '../../src/documents/read/create-reader.js';
import { openStore } from '../../src/store/client.js';
import { type TestDocuments, testDocuments } from '../support/documents.js';
import { readConfig, requestFor } from '../support/reading.js';
import { schemaOf, typeFile } from '../support/schemas.js';
import { type Answer, bodyOf, commandOf, startProxy } from '../support/wire-proxy.js';

const schema = schemaOf(typeFile('pet', { name: { type: 'string' } }));

describe('the total of a list', () => {
  let test: TestDocuments;
  before(async () => {
    test = await testDocuments(schema);
    for (let n = 1; n <= 3; n++) await test.documents('api::pet.pet').create({ data: { name: `p${n}` } });
  });
  after(() => test.close());

  it('does not depend on the metadata of a MongoDB', async () => {
    const asMongoDB = ({ modules, ...build }: Answer): Answer => ({ ...build, modules: [] });
    const counts: Answer[] = [];
    const proxy = await startProxy(test.uri, (message) => {
      const command = commandOf(message);
      if (command === 'aggregate' && message.includes('$count')) counts.push(bodyOf(message));
      if (command === 'count') return { ok: 1, n: 1 };
      return command === 'buildInfo' ? asMongoDB : 0;
    });
    const store = await openStore({ uri: proxy.uri, name: test.name });
    try {
      const pet = schema.contentTypes.get('api::pet.pet');
      const reader = createReader({ schema, store, config: readConfig() });
      const { pagination } = await reader.list(requestFor(pet ?? never(), 'pagination[pageSize]=1'));
      expect(pagination?.['total']).to.equal(3);
      const hint = store.engine.name === 'mongodb' ? '_id_' : undefined;
      expect(counts.map((count) => count['hint'])).to.deep.equal([hint]);
    } finally {
      await store.close();
      await proxy.close();
    }
  });
});

function never(): never {
  throw new Error('no pet');
}

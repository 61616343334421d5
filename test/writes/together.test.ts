import { expect } from 'chai';
import { type TestDocuments, testDocuments } from '../support/documents.js';
import { componentFile, schemaOf, typeFile } from '../support/schemas.js';

const THING = 'api::thing.thing';
const schema = schemaOf(
  componentFile('part.item', { label: { type: 'string', default: 'none' } }),
  typeFile('target', { name: { type: 'string' } }),
  typeFile('thing', {
    name: { type: 'string', default: 'unnamed' },
    secret: { type: 'password' },
    item: { type: 'component', component: 'part.item' },
    target: { type: 'relation', relation: 'manyToOne', target: 'api::target.target' },
  }),
);

describe('combined writes', () => {
  let opened: TestDocuments;
  before(async () => {
    opened = await testDocuments(schema);
  });
  after(() => opened?.close());

  const things = () => opened.documents(THING);
  const stored = async () =>
    opened.store.db
      .collection('things')
      .find({}, { sort: { id: 1 } })
      .toArray();
  beforeEach(async () => {
    await opened.store.db.collection('things').deleteMany({});
  });

  /** A body, and how often its keys are listed. */
  const counted = (data: object) => {
    const seen = { times: 0 };
    const ownKeys = (target: object) => {
      seen.times += 1;
      return Reflect.ownKeys(target);
    };
    return { seen, data: new Proxy(data, { ownKeys }) };
  };

  it('read each body as often as a single write does', async () => {
    const [alone, together] = [counted({ name: 'a', item: {} }), counted({ name: 'b', item: {} })];
    const documentId = String((await things().create({ data: alone.data })).documentId);
    await opened.documents.together(THING, [{ data: together.data }]);
    expect(alone.seen.times).to.be.above(0);
    expect(together.seen.times).to.equal(alone.seen.times);

    const [update, updates] = [counted({ name: 'c' }), counted({ name: 'd' })];
    await things().update({ documentId, data: update.data });
    await opened.documents.together(THING, [{ documentId, data: updates.data }]);
    expect(updates.seen.times).to.equal(update.seen.times);
  });

  it('store what separate writes do, even for a body that is given twice', async () => {
    const { documentId: target } = await opened.documents('api::target.target').create({ data: {} });
    const data = { secret: 'sesame', item: {}, target };
    const [first = ''] = await opened.documents.together(THING, [{ data }, { data }]);
    await opened.documents.together(THING, [
      { documentId: first, data: { target: null, item: { label: 'own' } } },
      { data: { name: 'third' } },
    ]);
    const rows = await stored();
    expect(rows.map(({ name, item, target: linked }) => [name, item?.label, linked])).to.deep.equal([
      ['unnamed', 'own', null],
      ['unnamed', 'none', target],
      ['third', undefined, null],
    ]);
    for (const { secret } of rows.slice(0, 2)) expect(secret).to.match(/^\$2[aby]\$/);
  });

  it('are all refused if one is, with its error', async () => {
    const calls = [{ data: { name: 'one' } }, { data: { item: 'none' } }];
    const error = await opened.documents.together(THING, calls).catch((thrown: Error) => thrown);
    expect(error).to.be.instanceOf(Error).with.property('message').that.matches(/item/);
    expect(await stored()).to.deep.equal([]);
  });
});

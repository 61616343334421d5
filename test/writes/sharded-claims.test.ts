/**
 * On a sharded type, unique indexes cannot enforce unique values, since they must start with the shard key: claims do.
 */
import { expect } from 'chai';
import { type TestDocuments, testDocuments } from '../support/documents.js';
import { componentFile, schemaOf, typeFile } from '../support/schemas.js';

const THING = 'api::thing.thing';
const TARGET = 'api::target.target';
const ROUNDS = 5;
const WRITERS = 8;

for (const shard of [true, { locale: 1, documentId: 1 }]) {
  const schema = schemaOf(
    componentFile('part.code', { code: { type: 'string', unique: true } }),
    typeFile(
      'thing',
      {
        slug: { type: 'uid' },
        number: { type: 'integer', unique: true },
        codes: { type: 'component', component: 'part.code', repeatable: true },
        target: { type: 'relation', relation: 'oneToOne', target: TARGET, inversedBy: 'thing' },
      },
      { draftAndPublish: true, localized: true, options: { shard } },
    ),
    typeFile(
      'target',
      { thing: { type: 'relation', relation: 'oneToOne', target: THING, mappedBy: 'target' } },
      { draftAndPublish: true, localized: true, options: { shard } },
    ),
  );

  describe(`claims of a type with the shard option ${JSON.stringify(shard)}`, function () {
    this.timeout(180_000);
    let opened: TestDocuments;
    before(async () => {
      opened = await testDocuments(schema);
    });
    after(() => opened?.close());

    const make = (data: object, uid = THING) => opened.documents(uid).create({ data, status: 'published' });
    /** The outcome of several concurrent writes: how many succeeded, and the messages of the others. */
    const race = async (write: (n: number) => Promise<unknown>) => {
      const ended = await Promise.allSettled(Array.from({ length: WRITERS }, (_, n) => write(n)));
      const refused = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
      return { made: WRITERS - refused.length, refused };
    };
    const published = () => opened.store.db.collection('things').find().toArray();

    it('only keys that start with the shard key have a unique index', async () => {
      const indexes = await opened.store.db.collection('things').indexes();
      const first = Object.keys(shard === true ? { documentId: 1 } : shard)[0];
      const unique = indexes.filter((index) => index['unique'] === true);
      expect(unique.map(({ key }) => Object.keys(key)[0])).to.deep.equal([first]);
    });

    const UNIQUE: Readonly<Record<string, (round: number) => object>> = {
      'a uid': (round) => ({ slug: `slug-${round}` }),
      'a unique number': (round) => ({ number: round }),
      'a unique value in a component': (round) => ({ codes: [{ code: `code ${round}` }] }),
    };
    for (const [what, data] of Object.entries(UNIQUE))
      it(`${what} belongs to one document under concurrency`, async () => {
        for (let round = 0; round < ROUNDS; round++) {
          const before = (await published()).length;
          const { made, refused } = await race(() => make(data(round)));
          expect(made).to.equal(1);
          for (const error of refused) expect(error.details.errors[0].message).to.include('must be unique');
          expect(await published()).to.have.length(before + 1);
        }
      });

    it('a one-to-one has one owner under concurrency', async () => {
      const { documentId: target } = await make({}, TARGET);
      const things = await Promise.all(Array.from({ length: WRITERS }, () => make({})));
      for (let round = 0; round < ROUNDS; round++) {
        await race((n) =>
          opened.documents(THING).update({
            documentId: String(things[n]?.['documentId']),
            data: { target },
            status: 'published',
          }),
        );
        for (const name of ['things', 'things.drafts'])
          expect(await opened.store.db.collection(name).countDocuments({ target })).to.equal(1);
      }
    });

    it('ids belong to one entry', async () => {
      const ids = (await published()).map(({ id }) => String(id));
      expect(new Set(ids).size).to.equal(ids.length);
    });
  });
}

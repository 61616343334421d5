/**
 * The output of `mangrove explain` can be pasted: it is run here as mongosh would, and returns what the server read.
 */
import { runInNewContext } from 'node:vm';
import { Decimal128, Long, ObjectId } from 'bson';
import { expect } from 'chai';
import type { Document } from 'mongodb';
import { type Explanation, explainUrl } from '../../src/describe/explain.js';
import { shellText } from '../../src/describe/shell-text.js';
import { ensureIndexes } from '../../src/store/indexes/sync.js';
import { engineOf } from '../contract/exceptions.js';
import { everything, type Reading, readingOf } from '../support/reading.js';
import { schemaOf, typeFile } from '../support/schemas.js';

const relation = { type: 'relation', relation: 'manyToOne', target: 'api::owner.owner' };
const schema = schemaOf(
  typeFile('owner', { name: { type: 'string' }, big: { type: 'biginteger' } }),
  typeFile('pet', {
    name: { type: 'string' },
    tag: { type: 'string', unique: true },
    price: { type: 'decimal' },
    big: { type: 'biginteger' },
    born: { type: 'datetime' },
    owner: relation,
  }),
);
const owners = [1, 2].map((id) => ({
  id,
  documentId: `owner${id}`,
  name: `owner ${id}`,
  big: Long.fromString(`900719925474099${id}`),
}));
const pets = [1, 2, 3, 4].map((id) => ({
  id,
  documentId: `pet${id}`,
  name: `pet '${id}"`,
  tag: `t${id}`,
  price: Decimal128.fromString(`${id}.50`),
  big: Long.fromString(`900719925474099${id}`),
  born: new Date(Date.UTC(2020 + id, 0)),
  owner: `owner${(id % 2) + 1}`,
}));

describe('explain', () => {
  let reading: Reading;
  before(async () => {
    reading = await readingOf(schema, { pets, owners });
    await ensureIndexes(reading.test.store, schema);
  });
  after(() => reading.close());

  const explain = (url: string): Promise<Explanation> =>
    explainUrl(url, {
      schema,
      store: reading.test.store,
      reader: reading.reader,
      prefix: '/api',
      caller: everything,
    });

  for (const [direction, order] of [
    ['asc', 1],
    ['desc', -1],
  ] as const)
    it(`one index serves a sort in both directions: ${direction}`, async () => {
      const { server, commands } = await explain(`/api/pets?sort=tag:${direction}`);
      expect(commands.join().replaceAll(/[\s"]/g, '')).to.include(`$sort:{tag:${order},id:${order}}`);
      if ((await engineOf(reading.test.store)) !== 'mongodb') return;
      expect([server.indexes, server.scans]).to.deep.equal([['tag_1_id_1'], false]);
    });

  it('ties are by ascending id where no index serves the sort', async () => {
    const { commands } = await explain('/api/pets?sort=name:desc');
    expect(commands.join().replaceAll(/[\s"]/g, '')).to.include('$sort:{name:-1,id:1}');
  });

  it('says that a collection is read as a whole, and how many documents were read', async () => {
    const { server } = await explain('/api/pets?sort=name:desc&pagination[pageSize]=1');
    if ((await engineOf(reading.test.store)) !== 'mongodb') return;
    expect([server.indexes, server.scans, server.examined]).to.deep.equal([[], true, 4]);
  });

  /** Runs a printed command against the same database. */
  const paste = async (command: string): Promise<readonly Document[]> => {
    const { db } = reading.test.store;
    const cursor: unknown = runInNewContext(command, {
      db: { getCollection: (name: string) => ({ aggregate: (stages: Document[]) => [name, stages] }) },
      ISODate: (text: string) => new Date(text),
      NumberLong: (text: string) => Long.fromString(text),
      NumberDecimal: (text: string) => Decimal128.fromString(text),
    });
    const [name, stages] = cursor as [string, Document[]];
    // Objects from another context have different prototypes.
    const own = (value: unknown): unknown =>
      Array.isArray(value)
        ? [...value].map(own)
        : typeof value !== 'object' || value === null || value instanceof Date || '_bsontype' in value
          ? value
          : Object.fromEntries(Object.entries(value).map(([key, item]) => [key, own(item)]));
    return db
      .collection(name)
      .aggregate(own(stages) as Document[])
      .toArray();
  };

  const urls: readonly (readonly [string, readonly number[]])[] = [
    ['/api/pets?filters[born][$gte]=2023-01-01&sort=name:desc', [4, 3]],
    ['/api/pets?filters[price][$gt]=2.5', [3, 4]],
    ['http://localhost:1337/api/pets?filters[big]=9007199254740993', [3]],
    ['/api/pets?filters[name][$contains]=\'2"', [2]],
    ['/api/pets?filters[owner][big]=9007199254740992&populate=owner', [1, 3]],
    ['/api/pets/pet2?populate[owner][fields]=name', [2]],
    ['/api/pets?filters[owner][name][$endsWithi]=1&pagination[pageSize]=1&sort=owner.name', [2]],
  ];
  for (const [url, ids] of urls)
    it(url, async () => {
      const { commands, rows, plan, query, timings } = await explain(url);
      expect(rows).to.equal(ids.length);
      const command = commands.filter((command) => !command.includes('$count')).at(-1) ?? '';
      const found = await paste(command);
      // In sets, the page is one document.
      const page: { id?: unknown }[] = found[0]?.['rows'] ?? found;
      expect(page.map(({ id }) => Number(id))).to.deep.equal(ids);
      for (const command of commands) await paste(command);
      expect(plan).to.include({ type: 'api::pet.pet' });
      expect(query).to.have.property('filters');
      expect(timings.map(([name]) => name)).to.deep.equal([
        'parse',
        'check',
        'plan',
        'compile',
        'read',
        'render',
      ]);
    });

  it('reports how the total was counted, and prints what was sent for it', async () => {
    const explained = async (url: string): Promise<unknown> => {
      const { countedBy, total, exact, commands } = await explain(url);
      expect(exact).to.equal(true);
      const limit = reading.test.store.maxIds + 1;
      expect(commands.some((command) => command.includes(`{ $limit: ${limit} }`))).to.equal(
        countedBy === 'sort',
      );
      expect(commands.some((command) => command.includes('$count'))).to.equal(countedBy === 'count');
      return [countedBy, total];
    };
    expect(await explained('/api/pets?pagination[pageSize]=10')).to.deep.equal(['page', 4]);
    expect(await explained('/api/pets?pagination[pageSize]=2&filters[id][$gt]=1')).to.deep.equal([
      'count',
      3,
    ]);
    expect(await explained('/api/pets?pagination[pageSize]=2')).to.deep.equal([
      reading.test.store.exactMetadata ? 'metadata' : 'count',
      4,
    ]);
    expect(await explained('/api/pets/pet2')).to.deep.equal([null, null]);
    const byRow = reading;
    reading = await readingOf(schema, { pets, owners }, 'sets');
    try {
      expect(await explained('/api/pets?pagination[pageSize]=2&sort=owner.name')).to.deep.equal(['sort', 4]);
    } finally {
      await reading.close();
      reading = byRow;
    }
  });

  it('finds one entry without a pipeline when only its own fields are requested', async () => {
    const byRow = reading;
    reading = await readingOf(schema, { pets, owners }, 'rows');
    const lookup = async (query: string) =>
      /\$lookup: \{.*?as: "\w+"/s.exec((await explain(`/api/pets?${query}`)).commands[0] ?? '')?.[0];
    try {
      expect(await lookup('populate[owner][fields]=name')).not.to.include('pipeline');
      expect(await lookup('populate[owner][filters][name]=x')).to.include('pipeline');
    } finally {
      await reading.close();
      reading = byRow;
    }
  });

  it('fails as the server does', async () => {
    const refused = await explain('/api/pets?filters[nope]=1').catch((error: unknown) => error);
    expect(refused).to.include({ status: 400, message: 'Invalid key nope' });
    const unknown = await explain('/api/nothing').catch((error: unknown) => error);
    expect(unknown).to.include({ status: 400 });
  });

  it('prints BSON types as mongosh does', () => {
    const id = new ObjectId('65a000000000000000000001');
    expect(shellText({ $in: [id, Long.fromNumber(7), 'a', null, 1.5] })).to.equal(
      '{ $in: [ObjectId("65a000000000000000000001"), NumberLong("7"), "a", null, 1.5] }',
    );
    expect(shellText([new Date(0), Decimal128.fromString('1.50')])).to.equal(
      '[ISODate("1970-01-01T00:00:00.000Z"), NumberDecimal("1.50")]',
    );
  });
});

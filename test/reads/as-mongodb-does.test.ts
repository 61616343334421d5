/** What MongoDB rejects or runs slowly and other servers may not: the form in which reads are sent. */
import { expect } from 'chai';
import { type CommandStartedEvent, type Document, MongoClient } from 'mongodb';
import { createReader } from '../../src/documents/read/create-reader.js';
import type { Reader } from '../../src/documents/read/reader.js';
import type { CompiledRead, Doc } from '../../src/pipeline/types.js';
import { textQuery } from '../../src/query/query.js';
import { formsFor } from '../../src/store/connection/engine.js';
import { ensureIndexes } from '../../src/store/indexes/sync.js';
import { explainRead } from '../../src/store/reads/explain.js';
import { everything, type Reading, readConfig, readingOf, requestFor } from '../support/reading.js';
import { schemaOf, typeFile } from '../support/schemas.js';

const relation = (kind: string) => ({ type: 'relation', relation: kind, target: 'api::owner.owner' });
const facts = { type: 'json' };
const schema = schemaOf(
  typeFile('owner', { name: { type: 'string' }, facts }),
  typeFile(
    'pet',
    {
      name: { type: 'string' },
      slug: { type: 'uid' },
      stars: { type: 'integer' },
      facts,
      notes: facts,
      owner: relation('manyToOne'),
      friends: relation('manyToMany'),
    },
    { draftAndPublish: true, file: { indexes: [{ columns: ['stars:desc', 'name'] }] } },
  ),
);
const owners = [1, 2, 3].map((id) => ({
  id,
  documentId: `o${id}`,
  name: `owner ${id}`,
  facts: [
    [3, 1],
    [1, 9],
    [1, 3],
  ][id - 1],
}));
/** By `facts`, then `notes`: 3 4 2 1. */
const LISTS: readonly (readonly [facts: number[], notes: number[]])[] = [
  [[2, 1], [1]],
  [[1, 9], [2]],
  [
    [1, 3],
    [1, 1],
  ],
  [
    [1, 3],
    [4, 0],
  ],
];
const pets = LISTS.map(([fact, note], at) => ({
  id: at + 1,
  documentId: `p${at + 1}`,
  name: `pet ${at + 1}`,
  slug: `s${at + 1}`,
  stars: at % 2,
  facts: fact,
  notes: note,
  owner: `o${(at % 3) + 1}`,
  friends: ['o1', `o${(at % 3) + 1}`],
  publishedAt: new Date(0),
}));

describe('the MongoDB form of reads', () => {
  let reading: Reading;
  let client: MongoClient;
  let readers: Readonly<Record<'rows' | 'sets', Reader>>;
  const sent: Document[] = [];
  before(async () => {
    reading = await readingOf(schema, { owners, pets, 'pets.drafts': pets });
    const { store, uri, name } = reading.test;
    await ensureIndexes(store, schema);
    client = new MongoClient(uri, { monitorCommands: true });
    client.on('commandStarted', ({ command }: CommandStartedEvent) => void sent.push(command));
    const db = client.db(name);
    const readerIn = (lookups: 'rows' | 'sets'): Reader => {
      const form = { ...store.form, ...formsFor(store.engine, lookups) };
      return createReader({ schema, store: { ...store, client, db, lists: db, form }, config: readConfig() });
    };
    readers = { rows: readerIn('rows'), sets: readerIn('sets') };
  });
  after(async () => {
    await client?.close();
    await reading?.close();
  });

  const FORMS = ['rows', 'sets'] as const;
  const compiled = (query: string, form: 'rows' | 'sets' = 'rows'): CompiledRead => {
    const request = { type: reading.type('pet'), query: textQuery(query), caller: everything };
    return readers[form].prepare({ ...request, target: 'list' }).read.compiled;
  };
  const list = async (query: string, form: 'rows' | 'sets'): Promise<unknown[]> => {
    const { data } = await readers[form].list(requestFor(reading.type('pet'), query));
    return (data as readonly Doc[]).map(({ id }) => id);
  };

  // A sort may use one array: a second one is "cannot sort with keys that are parallel arrays".
  const sorts: readonly (readonly [string, readonly number[]])[] = [
    ['sort=facts,notes', [3, 4, 2, 1]],
    ['sort=notes:desc,facts:desc', [4, 2, 3, 1]],
    ['sort=friends.name,facts,notes', [3, 4, 2, 1]],
    ['sort=friends.facts,owner.facts,facts', [3, 2, 4, 1]],
  ];
  for (const [query, ids] of sorts)
    for (const form of FORMS)
      it(`${query} with array values, ${form}`, async () =>
        expect(await list(query, form)).to.deep.equal(ids));

  it('sorts may use the disk, at every step of a read', async () => {
    for (const form of FORMS) {
      sent.length = 0;
      const filters = 'filters[owner][name][$contains]=owner&filters[friends][name][$ne]=x';
      await list(`${filters}&sort=owner.name,notes&populate=*&pagination[pageSize]=1`, form);
      const aggregations = sent.filter((command) => 'aggregate' in command);
      expect(aggregations.length).to.be.greaterThan(2);
      for (const command of aggregations)
        expect(command, JSON.stringify(command)).to.include({ allowDiskUse: true });
    }
  });

  const placeOf = (stages: readonly Doc[], name: string): number =>
    stages.findIndex((stage) => name in stage);

  for (const sort of [
    '',
    'sort=id:desc',
    'sort=slug',
    'sort=stars:desc,name',
    'sort=stars,name:desc,id:desc',
    // Backwards along the index, ties included.
    'sort=stars,name:desc',
  ])
    it(`a sort served by an index comes before the lookups of filters: ${sort}`, () => {
      const { stages } = compiled(`status=draft&publicationFilter=modified&${sort}`);
      expect(placeOf(stages, '$lookup')).to.be.greaterThan(placeOf(stages, '$sort'));
      expect(placeOf(stages, '$sort')).to.be.at.least(0);
    });

  for (const sort of ['sort=name', 'sort=stars,name:desc,id', 'sort=slug:desc,name'])
    it(`any other sort runs on what remains after them: ${sort}`, () => {
      const { stages } = compiled(`status=draft&publicationFilter=modified&${sort}`);
      expect(placeOf(stages, '$sort')).to.be.greaterThan(placeOf(stages, '$lookup'));
    });

  const lookupOf = (query: string, at = 0): Doc =>
    compiled(`fields=name&${query}`).stages.filter((stage) => '$lookup' in stage)[at]?.['$lookup'] as Doc;

  it("a lookup of one entry's fields has no pipeline, which would be planned again for each row", () => {
    expect(lookupOf('populate[owner][fields]=name')).to.deep.equal({
      from: 'owners',
      localField: 'owner',
      foreignField: 'documentId',
      as: lookupOf('populate[owner][fields]=name')['as'],
    });
    for (const query of [
      'populate[owner][filters][name]=x',
      'populate[friends][fields]=name',
      'populate[friends][sort]=name',
    ])
      expect(lookupOf(query), query).to.have.property('pipeline');
  });

  it('in sets, lookups find their keys by a path through the page', () => {
    const query = 'fields=name&populate[owner][fields]=name&populate[friends][fields]=name';
    const read = compiled(query, 'sets');
    const { stages } = read.inForm({ ...read.form, keyPaths: true });
    expect(placeOf(stages, '$set')).to.equal(-1);
    const paths = stages.flatMap(({ $lookup }) => ($lookup ? [($lookup as Doc)['localField']] : []));
    expect(paths).to.have.members(['rows.owner', 'rows.friends']);
  });

  describe('by indexes', () => {
    before(function () {
      // Other servers explain in other words.
      if (!['embedded', 'mongodb'].includes(reading.test.store.engine.name)) this.skip();
    });
    const served: readonly (readonly [string, string])[] = [
      ['filters[slug][$startsWith]=s2', 'slug_'],
      ['sort=slug', 'slug_1_id_1'],
      ['sort=stars:desc,name', 'stars_-1_name_1_id_1'],
    ];
    for (const [query, index] of served)
      it(`${query}: ${index}`, async () => {
        const plan = await explainRead(reading.test.store, compiled(query), () => []);
        expect(plan.indexes.join(), JSON.stringify(plan.detail)).to.include(index);
      });
  });
});

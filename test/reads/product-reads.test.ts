import { expect } from 'chai';
import { type Document, MongoClient } from 'mongodb';
import { openEngine, type TestEngine } from '../../packages/engine/test/support/engine.js';
import { createReader } from '../../src/documents/read/create-reader.js';
import { BY_ROW } from '../../src/pipeline/types.js';
import { textQuery } from '../../src/query/query.js';
import { loadSchema } from '../../src/schema/load.js';
import type { Schema } from '../../src/schema/types.js';
import type { Store } from '../../src/store/client.js';
import { formsFor } from '../../src/store/connection/engine.js';
import { newTotals } from '../../src/store/connection/totals.js';
import { ensureIndexes } from '../../src/store/indexes/sync.js';
import { runRead } from '../../src/store/reads/read.js';
import { readConfig } from '../support/reading.js';

const ROWS = 300;

/** Typical requests of a site, and the scans of the resulting commands. */
const READS: readonly [uid: string, query: string, scans: string[]][] = [
  ['category', 'filters[slug][$eq]=s7', ['IXSCAN']],
  ['category', 'filters[slug][$in][0]=s7&filters[slug][$in][1]=s8', ['IXSCAN']],
  ['category', 'filters[name]=Name 7', ['IXSCAN']],
  ['category', 'filters[documentId][$in][0]=category7&sort=id', ['IXSCAN']],
  ['category', 'filters[id][$gt]=290', ['IXSCAN']],
  ['category', 'pagination[pageSize]=5', ['IXSCAN']],
  ['category', 'filters[slug][$startsWith]=s29', ['IXSCAN']],
  ['category', 'filters[parent][slug]=s7', ['IXSCAN', 'IXSCAN']],
  ['category', 'filters[parent][parent][slug]=s7', ['IXSCAN', 'IXSCAN', 'IXSCAN']],
  ['category', 'filters[$or][0][slug]=s7&filters[$or][1][documentId]=category9', ['IXSCAN', 'IXSCAN']],
  ['restaurant', 'filters[slug][$eq]=s7', ['IXSCAN']],
  ['restaurant', 'filters[chef][slug]=s7', ['IXSCAN', 'IXSCAN']],
  ['restaurant', 'filters[categories][slug]=s7&sort=id:desc', ['IXSCAN', 'IXSCAN']],
  ['restaurant', 'filters[chef][documentId]=chef3&filters[cuisine]=thai', ['IXSCAN', 'IXSCAN']],
  ['article', 'filters[slug]=s7&locale=en', ['IXSCAN']],
  ['article', 'locale=en&pagination[pageSize]=5', ['IXSCAN']],
  ['restaurant', 'filters[tagline][$contains]=Line', ['IXSCAN']],
];

function scansOf(plan: unknown): string[] {
  if (Array.isArray(plan)) return plan.flatMap(scansOf);
  if (typeof plan !== 'object' || plan === null) return [];
  return Object.entries(plan).flatMap(([key, value]) =>
    key === 'stage' && /SCAN$/.test(String(value)) ? [String(value)] : scansOf(value),
  );
}

describe("embedded engine: the product's reads use the product's indexes", () => {
  let engine: TestEngine;
  let client: MongoClient;
  let store: Store;
  let schema: Schema;
  let sent: Document[] = [];
  before(async () => {
    engine = await openEngine();
    client = await MongoClient.connect(engine.uri, { monitorCommands: true });
    client.on('commandStarted', ({ commandName, command }) => {
      if (commandName === 'aggregate')
        sent.push({ aggregate: command['aggregate'], pipeline: command['pipeline'] });
    });
    const db = client.db(engine.db.databaseName);
    const server = { name: 'embedded', version: [7, 0, 0] } as const;
    store = {
      ...{
        client,
        db,
        maxTimeMS: 5000,
        maxIds: 10_000,
        exactMetadata: true,
        engine: server,
        writesAcross: true,
        writesAtOnce: true,
        refusesJoins: false,
        beforeClose: [],
      },
      lists: db,
      content: {
        client,
        name: db.databaseName,
        apart: false,
        exactMetadata: true,
        watched: new Set(),
        writeConcern: {},
      },
      totals: newTotals({ maxTimeMS: 5000, maxAgeMS: 0 }),
      writeLimits: { retryMS: 0, maxCommitTimeMS: 5000 },
      form: { ...BY_ROW, ...formsFor(server, 'auto') },
      close: () => client.close(),
    };
    schema = await loadSchema({ folder: '.' });
    await ensureIndexes(store, schema);
    const at = new Date(0);
    for (const [name, uid] of [
      ['categories', 'category'],
      ['restaurants', 'restaurant'],
      ['chefs', 'chef'],
      ['articles', 'article'],
    ] as const)
      await db.collection(name).insertMany(
        Array.from({ length: ROWS }, (_, i) => ({
          id: i,
          documentId: `${uid}${i}`,
          locale: uid === 'article' ? 'en' : null,
          name: `Name ${i}`,
          slug: `s${i}`,
          cuisine: i % 2 ? 'thai' : 'other',
          tagline: `Line ${i}`,
          parent: `category${i + 1}`,
          chef: `chef${i % 40}`,
          categories: [`category${i}`, `category${i + 1}`],
          ...{ createdAt: at, updatedAt: at, publishedAt: at },
        })),
      );
  });
  after(async () => {
    await client.close();
    await engine.close();
  });

  for (const [name, query, scans] of READS) {
    it(`${name}?${query}: ${scans.join(' ')}`, async () => {
      const type = schema.contentTypes.get(`api::${name}.${name}`);
      if (type === undefined) throw new Error(`no content type ${name}`);
      const reader = createReader({ schema, store, config: readConfig() });
      const { read } = reader.prepare({
        type,
        query: textQuery(query),
        caller: { grants: null },
        target: 'list',
      });
      sent = [];
      const { rows } = await runRead({ store }, read.compiled);
      expect(rows).not.to.have.length(0);
      const found: string[] = [];
      for (const command of sent) {
        const plan = await engine.db.command({ explain: command, verbosity: 'queryPlanner' });
        // A count runs next to its page, with the same filter; for a filter without an index it reads everything.
        if (command['pipeline'].at(-1)?.['$count'] === undefined) found.push(...scansOf(plan));
        else if (!query.includes('$contains'))
          expect(scansOf(plan), JSON.stringify(command)).not.to.include('COLLSCAN');
      }
      expect(found, JSON.stringify(sent)).to.deep.equal(scans);
    });
  }
});

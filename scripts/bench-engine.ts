import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { type Db, MongoClient } from 'mongodb';
import { startEngine } from '../src/embedded/index.js';

/** One thing that is measured: `run` is done again and again by each connection. */
interface Case {
  readonly name: string;
  run(db: Db, client: MongoClient, size: number): Promise<unknown>;
}

/** Operations a second of a case, at one size and number of connections. */
interface Figure {
  readonly engine: string;
  readonly size: number;
  readonly connections: number;
  readonly case: string;
  /** Null: the engine cannot do it. */
  readonly perSecond: number | null;
}

interface Settings {
  readonly uri?: string;
  readonly json?: string;
  readonly sizes: string;
  readonly connections: string;
  readonly seconds: string;
  readonly rounds: string;
  readonly only?: string;
  readonly inline?: boolean;
}

const AUTHORS = 1000;
const CATEGORIES = 50;
const LOAD_BATCH = 2000;
const TEXT = 'A place by the river with a short list of seasonal dishes. '.repeat(6);

const pick = (size: number): number => Math.floor(Math.random() * size);
const page = () => [{ $sort: { rating: -1, id: 1 } }, { $skip: pick(20) * 25 }, { $limit: 25 }];

const lookup = (from: string, field: string) => ({
  $lookup: { from, localField: field, foreignField: 'documentId', as: field },
});

let inserted = 0;

const CASES: readonly Case[] = [
  {
    name: 'insert',
    run: (db, _client, size) => db.collection('articles').insertOne(article(size * 10 + inserted++)),
  },
  {
    name: 'find one by an indexed field',
    run: (db, _client, size) => db.collection('articles').findOne({ documentId: `a${pick(size)}` }),
  },
  {
    name: 'page of 25 by an indexed sort',
    run: (db) => db.collection('articles').aggregate(page()).toArray(),
  },
  {
    name: 'the same with three lookups',
    run: (db) =>
      db
        .collection('articles')
        .aggregate([
          ...page(),
          lookup('authors', 'author'),
          lookup('categories', 'categories'),
          lookup('files', 'cover'),
        ])
        .toArray(),
  },
  {
    name: 'update',
    run: (db, _client, size) =>
      db.collection('articles').updateOne({ documentId: `a${pick(size)}` }, { $set: { views: pick(1e6) } }),
  },
  {
    name: 'transaction of two writes',
    run: (db, client, size) =>
      client.withSession((session) =>
        session.withTransaction(async () => {
          await db
            .collection('articles')
            .updateOne({ documentId: `a${pick(size)}` }, { $set: { views: 1 } }, { session });
          await db.collection('log').insertOne({ at: new Date() }, { session });
        }),
      ),
  },
];

function article(n: number) {
  return {
    id: n,
    documentId: `a${n}`,
    locale: 'en',
    title: `Article number ${n}`,
    slug: `article-number-${n}`,
    rating: (n * 7919) % 1000,
    views: 0,
    author: `u${n % AUTHORS}`,
    categories: [`c${n % CATEGORIES}`, `c${(n * 3 + 1) % CATEGORIES}`],
    cover: `f${n % AUTHORS}`,
    body: TEXT,
    createdAt: new Date(1.7e12 + n * 1000),
    seo: { title: `Article ${n}`, description: 'What there is to say', tags: ['a', 'b', 'c'] },
  };
}

async function fill(db: Db, name: string, count: number, make: (n: number) => object): Promise<void> {
  for (let from = 0; from < count; from += LOAD_BATCH) {
    const length = Math.min(LOAD_BATCH, count - from);
    await db.collection(name).insertMany(Array.from({ length }, (_, i) => make(from + i)));
  }
}

async function load(db: Db, size: number): Promise<void> {
  await db.dropDatabase();
  const articles = db.collection('articles');
  await articles.createIndexes([
    { key: { documentId: 1, locale: 1 }, unique: true },
    { key: { id: 1 }, unique: true },
    { key: { rating: -1, id: 1 } },
  ]);
  for (const name of ['authors', 'categories', 'files'])
    await db.collection(name).createIndex({ documentId: 1 });
  await fill(db, 'authors', AUTHORS, (n) => ({ id: n, documentId: `u${n}`, name: `Author ${n}`, bio: TEXT }));
  await fill(db, 'categories', CATEGORIES, (n) => ({ id: n, documentId: `c${n}`, name: `Category ${n}` }));
  await fill(db, 'files', AUTHORS, (n) => ({
    id: n,
    documentId: `f${n}`,
    url: `/uploads/${n}.jpg`,
    width: 800,
    height: 600,
  }));
  await fill(db, 'articles', size, article);
  await db.createCollection('log');
}

/** Runs a case on some connections for a time, after a warm-up of a quarter of it. */
async function measure(
  one: Case,
  db: Db,
  client: MongoClient,
  size: number,
  connections: number,
  seconds: number,
): Promise<number | null> {
  // What an engine lacks fails at once.
  const able = await one.run(db, client, size).then(
    () => true,
    () => false,
  );
  if (!able) return null;
  const work = async (until: number): Promise<number> => {
    let done = 0;
    for (; performance.now() < until; done++) await one.run(db, client, size);
    return done;
  };
  const round = (milliseconds: number): Promise<number[]> => {
    const until = performance.now() + milliseconds;
    return Promise.all(Array.from({ length: connections }, () => work(until)));
  };
  await round(seconds * 250);
  const before = performance.now();
  const counts = await round(seconds * 1000);
  return counts.reduce((sum, count) => sum + count, 0) / ((performance.now() - before) / 1000);
}

/** A deployment under test, filled. */
interface Side {
  readonly engine: string;
  readonly client: MongoClient;
  readonly db: Db;
}

async function openSide(engine: string, uri: string, size: number, connections: number): Promise<Side> {
  const client = await MongoClient.connect(uri, { maxPoolSize: connections, minPoolSize: connections });
  const db = client.db('mangrove_bench');
  await load(db, size);
  return { engine, client, db };
}

/** The best of some rounds, in which the sides take turns, so that what else the machine does falls on both alike. */
async function compare(
  one: Case,
  sides: readonly Side[],
  size: number,
  connections: number,
  settings: Settings,
): Promise<Figure[]> {
  const best = new Map<string, number | null>();
  for (let round = 0; round < Number(settings.rounds); round++) {
    for (const { engine, db, client } of sides) {
      const found = await measure(one, db, client, size, connections, Number(settings.seconds));
      best.set(engine, found === null ? null : Math.max(best.get(engine) ?? 0, Math.round(found)));
    }
  }
  return [...best].map(([engine, perSecond]) => {
    const shown = perSecond === null ? 'not possible' : `${perSecond}/s`;
    process.stderr.write(`${size} documents, ${connections} connections, ${one.name}, ${engine}: ${shown}\n`);
    return { engine, size, connections, case: one.name, perSecond };
  });
}

async function bench(uris: readonly (readonly [string, string])[], settings: Settings): Promise<Figure[]> {
  const figures: Figure[] = [];
  const numbers = (list: string): number[] => list.split(',').map(Number);
  for (const size of numbers(settings.sizes)) {
    for (const connections of numbers(settings.connections)) {
      const sides: Side[] = [];
      for (const [engine, uri] of uris) sides.push(await openSide(engine, uri, size, connections));
      // A relational engine below gathers its statistics in the background after a load.
      if (sides.length > 1) await new Promise((wake) => setTimeout(wake, 6000));
      for (const one of CASES) {
        if (settings.only !== undefined && !one.name.includes(settings.only)) continue;
        figures.push(...(await compare(one, sides, size, connections, settings)));
      }
      for (const { db, client } of sides) {
        await db.dropDatabase();
        await client.close();
      }
    }
  }
  return figures;
}

function table(figures: readonly Figure[]): string {
  const engines = [...new Set(figures.map((figure) => figure.engine))];
  const rows = figures.filter((figure) => figure.engine === engines[0]);
  const lines = rows.map(({ size, connections, case: name }) => {
    const values = engines.map(
      (engine) =>
        figures.find(
          (f) => f.engine === engine && f.size === size && f.connections === connections && f.case === name,
        )?.perSecond,
    );
    const ratio = values[0] && values[1] ? `${(values[0] / values[1]).toFixed(1)} ×` : '';
    return `| ${name} | ${size} | ${connections} | ${values.map((value) => value ?? '–').join(' | ')} | ${ratio} |`;
  });
  return [
    `| operations a second | documents | connections | ${engines.join(' | ')} | ratio |`,
    `|---|---:|---:|${engines.map(() => '---:|').join('')}---:|`,
    ...lines,
  ].join('\n');
}

async function main(settings: Settings): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'mangrove-bench-'));
  const engine = await startEngine({ dataDir, thread: settings.inline !== true });
  try {
    const uris: [string, string][] = [['embedded', engine.uri]];
    if (settings.uri !== undefined) uris.push(['other', settings.uri]);
    const figures = await bench(uris, settings);
    process.stdout.write(`${table(figures)}\n`);
    if (settings.json !== undefined) writeFileSync(settings.json, JSON.stringify(figures, null, 2));
  } finally {
    await engine.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const program = new Command('bench-engine')
  .description('Measures the embedded engine, and another deployment beside it')
  .option('--uri <uri>', 'the other deployment, such as FerretDB')
  .option('--json <file>', 'also write the figures as JSON')
  .option('--sizes <list>', 'documents in the collection', '10000,100000')
  .option('--connections <list>', 'numbers of connections', '1,32')
  .option('--seconds <n>', 'how long a round of a case runs', '1')
  .option('--rounds <n>', 'rounds of each case; the best one counts', '3')
  .option('--inline', "run the engine in the client's own thread")
  .option('--only <text>', 'only the cases whose name holds this');
program.parse();
await main(program.opts<Settings>());

import type { Db, MongoClient } from 'mongodb';

/** One thing that is measured: `run` is done again and again by each connection. */
export interface Case {
  readonly name: string;
  run(db: Db, client: MongoClient, size: number): Promise<unknown>;
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

/** What is measured. Scans ask for another value each time, so that no answer is known. */
export const CASES: readonly Case[] = [
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
    name: 'page by a scan: filter and sort without an index',
    run: (db) =>
      db
        .collection('articles')
        .aggregate([
          { $match: { locale: 'en', 'seo.title': { $gte: 'Article 3' }, views: { $lt: 1e9 + pick(1e6) } } },
          { $sort: { createdAt: -1, id: 1 } },
          { $limit: 25 },
        ])
        .toArray(),
  },
  {
    name: 'a word in two fields by a scan',
    run: (db, _client, size) => {
      const word = { $regex: `number ${pick(size / 10)}`, $options: 'i' };
      return db
        .collection('articles')
        .aggregate([
          { $match: { $or: ['title', 'body'].map((field) => ({ [field]: word })) } },
          { $sort: { id: 1 } },
          { $limit: 25 },
        ])
        .toArray();
    },
  },
  {
    name: 'count by a scan',
    run: (db, _client, size) =>
      db
        .collection('articles')
        .countDocuments({ locale: 'en', slug: { $ne: `article-number-${pick(size)}` } }),
  },
  {
    name: 'page of two fields by an indexed sort',
    run: (db) =>
      db
        .collection('articles')
        .aggregate([...page(), { $project: { _id: 0, title: 1, slug: 1 } }])
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

/** Empties a database and fills it with a site's content. */
export async function load(db: Db, size: number): Promise<void> {
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

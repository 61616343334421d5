import { expect } from 'chai';
import { type Db, type Document, MongoClient } from 'mongodb';
import { randomOf, SEED } from './support/random.js';

const ACCOUNTS = 12;

/** What the clients know to be stored. */
export interface Acknowledged {
  readonly inserted: Set<string>;
  counted: number;
  tried: number;
  transfers: number;
}

export const nothingYet = (): Acknowledged => ({ inserted: new Set(), counted: 0, tried: 0, transfers: 0 });

/** Creates the workload's initial data. */
export async function prepare(db: Db): Promise<void> {
  await db
    .collection('rows')
    .createIndexes([{ key: { key: 1 }, unique: true }, { key: { tags: 1, n: -1 } }, { key: { n: 1 } }]);
  await db.collection('ledger').createIndex({ from: 1 });
  await db
    .collection<Document>('accounts')
    .insertMany(Array.from({ length: ACCOUNTS }, (_, i) => ({ _id: i as never, n: 0 })));
  await db.collection<Document>('counter').insertOne({ _id: 'c' as never, n: 0 });
}

const { below: pick } = randomOf(SEED);

async function insertRow(db: Db, known: Acknowledged): Promise<void> {
  const key = `${Date.now()}-${Math.random()}`;
  await db
    .collection('rows')
    .insertOne({ key, n: pick(1000), tags: ['a', 'b', 'c'].slice(pick(3)), text: 'x'.repeat(pick(3000)) });
  known.inserted.add(key);
}

async function changeRow(db: Db): Promise<void> {
  await db
    .collection('rows')
    .updateOne({ n: { $gte: pick(1000) } }, { $set: { n: pick(1000), tags: [`t${pick(5)}`] } });
}

async function count(db: Db, known: Acknowledged): Promise<void> {
  known.tried += 1;
  await db.collection<Document>('counter').updateOne({ _id: 'c' as never }, { $inc: { n: 1 } });
  known.counted += 1;
}

async function transfer(db: Db, client: MongoClient, known: Acknowledged): Promise<void> {
  const from = pick(ACCOUNTS);
  const to = (from + 1 + pick(ACCOUNTS - 1)) % ACCOUNTS;
  const accounts = db.collection<Document>('accounts');
  await client.withSession((session) =>
    session.withTransaction(async () => {
      await accounts.updateOne({ _id: from as never }, { $inc: { n: -1 } }, { session });
      await db.collection('ledger').insertOne({ from, to }, { session });
      await accounts.updateOne({ _id: to as never }, { $inc: { n: 1 } }, { session });
    }),
  );
  known.transfers += 1;
}

async function readSomething(db: Db): Promise<void> {
  const rows = await db
    .collection('rows')
    .find({ n: { $gte: pick(900) } })
    .sort({ n: 1 })
    .limit(25)
    .toArray();
  for (let i = 1; i < rows.length; i++) expect(rows[i]?.['n']).to.be.at.least(rows[i - 1]?.['n']);
}

const oneStep = (db: Db, client: MongoClient, known: Acknowledged): Promise<void> => {
  const dice = pick(10);
  if (dice < 3) return insertRow(db, known);
  if (dice < 5) return changeRow(db);
  if (dice < 6) return count(db, known);
  if (dice < 8) return transfer(db, client, known);
  return readSomething(db);
};

/**
 * Works on a database through several connections until told to stop. With `mayFail`, errors end a step, not the work.
 */
export async function work(
  uri: string,
  name: string,
  connections: number,
  known: Acknowledged,
  stopped: () => boolean,
  mayFail: boolean,
): Promise<void> {
  const client = new MongoClient(uri, {
    maxPoolSize: connections,
    // A killed server is soon found to be away; a slow one is waited for.
    ...(mayFail && { serverSelectionTimeoutMS: 300 }),
    retryWrites: !mayFail,
    appName: 'load',
  });
  const db = client.db(name);
  const run = async (): Promise<void> => {
    while (!stopped()) {
      try {
        await oneStep(db, client, known);
      } catch (error) {
        if (!mayFail) throw error;
        await new Promise((wake) => setTimeout(wake, 20));
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, run));
  const closing = client.close();
  // Of a killed server it may never end (docs/driver-closed-sockets.md).
  if (mayFail) closing.catch(() => undefined);
  else await closing;
}

/** Compares what is stored with what was acknowledged. */
export async function check(db: Db, known: Acknowledged, exact: boolean): Promise<void> {
  const keys = new Set(
    await db
      .collection('rows')
      .find({}, { projection: { key: 1 } })
      .map((row) => row['key'])
      .toArray(),
  );
  const lost = [...known.inserted].filter((key) => !keys.has(key));
  expect(lost, 'acknowledged inserts that are missing').to.deep.equal([]);
  const counter = (await db.collection('counter').findOne())?.['n'];
  expect(counter).to.be.within(known.counted, exact ? known.counted : known.tried);
  const expected = new Array<number>(ACCOUNTS).fill(0);
  let transfers = 0;
  for await (const { from, to } of db.collection('ledger').find()) {
    expected[from] = (expected[from] as number) - 1;
    expected[to] = (expected[to] as number) + 1;
    transfers += 1;
  }
  const accounts = await db
    .collection('accounts')
    .find()
    .sort({ _id: 1 })
    .map((row) => row['n'])
    .toArray();
  expect(accounts, 'a half of a transaction').to.deep.equal(expected);
  expect(transfers).to.be.at.least(known.transfers);
  if (exact) expect(transfers).to.equal(known.transfers);
  for (const name of ['rows', 'ledger', 'accounts', 'counter']) {
    const report = await db.command({ validate: name });
    expect(report['errors'], `indexes of ${name}`).to.deep.equal([]);
  }
}

import type { ClientSession, Db, Document, MongoClient } from 'mongodb';
import { about, countsExactly } from '../../src/store/client.js';
import type { Call } from './load.js';

/** What a floor works with. */
export interface Floor {
  readonly db: Db;
  readonly size: number;
  /** Whether the server's metadata tells how many entries a collection holds; where not, a total is counted. */
  readonly exactMetadata: boolean;
  /** Runs writes in one transaction, or under a note of them where the deployment has none. */
  transaction(work: (options: { session?: ClientSession }) => Promise<void>): Promise<void>;
}

type Method = 'GET' | 'POST' | 'PUT';

/** One request of the benchmark, and the best that a person would write by hand for that very request. */
export interface Case {
  readonly name: string;
  /** Of the n-th request. */
  readonly method: Method | ((n: number) => Method);
  /** Path and query below the API's prefix, of the n-th request. */
  path(n: number, size: number): string;
  headers?(n: number, size: number): Readonly<Record<string, string>>;
  /** Null: a request without one. */
  body?(n: number, size: number): Document | null;
  /** @param sent `data` of the body */
  floor(on: Floor, n: number, sent: Document): Promise<Document>;
}

/** The n-th request of a case, as Mangrove gets it. */
export const callOf = ({ method, path, headers, body }: Case, n: number, size: number): Call => {
  const sent = body?.(n, size) ?? null;
  return {
    method: typeof method === 'string' ? method : method(n),
    path: `/api${path(n, size)}`,
    ...(headers && { headers: headers(n, size) }),
    ...(sent !== null && { body: JSON.stringify({ data: sent }) }),
  };
};

/** Transactions exist on replica sets and sharded clusters (MongoDB manual, "Transactions"). */
export const floorOf = async (client: MongoClient, database: string, size: number): Promise<Floor> => {
  const [hello, build] = await about(client.db('admin'));
  const transactional = hello['setName'] !== undefined || hello['msg'] === 'isdbgrid';
  const db = client.db(database);
  return {
    db,
    size,
    exactMetadata: countsExactly(build),
    transaction: transactional
      ? (work) => client.withSession((session) => session.withTransaction(() => work({ session })))
      : (work) => noted(db, work),
  };
};

/** What a crash leaves half done can be told by a note, which stands until the write is on the disk. */
const noted = async (db: Db, work: Parameters<Floor['transaction']>[0]): Promise<void> => {
  const notes = db.collection('floor.journal');
  const { insertedId: _id } = await notes.insertOne({ at: new Date() });
  await work({});
  await notes.deleteOne({ _id }, { writeConcern: { w: 1, journal: true } });
};

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Document } from 'bson';
import { type Collection, MongoClient } from 'mongodb';
import { startEngine } from '../../src/index.js';
import type { Case } from './expected.js';

/** A server that runs cases. */
export interface Server {
  readonly engine: 'embedded' | 'ferretdb' | 'secantusdb' | 'mongod';
  readonly collection: Collection<Document>;
  readonly version: string;
  close(): Promise<void>;
}

// Numbers keep their BSON types in results.
const OPTIONS = { promoteValues: false, promoteLongs: false };

async function engineOf(client: MongoClient): Promise<Server['engine']> {
  const build = await client.db('admin').command({ buildInfo: 1 });
  const { setName } = await client.db('admin').command({ hello: 1 });
  if ('ferretdb' in build) return 'ferretdb';
  return String(setName) === 'secantus' ? 'secantusdb' : 'mongod';
}

/** Connects to a server; `stop` is called after disconnecting. */
export async function connect(
  uri: string,
  stop: () => Promise<void>,
  engine?: Server['engine'],
): Promise<Server> {
  const client = await new MongoClient(uri, OPTIONS).connect();
  const database = client.db(`differential_${process.pid}`);
  const close = async (): Promise<void> => {
    await database.dropDatabase();
    await client.close();
    await stop();
  };
  const version = String((await client.db('admin').command({ buildInfo: 1 }))['version']);
  return {
    engine: engine ?? (await engineOf(client)),
    version,
    collection: database.collection('all'),
    close,
  };
}

/** Starts the embedded engine and connects to it, with indexes that its planner may use. */
export async function embedded(): Promise<Server> {
  const dataDir = await mkdtemp(join(tmpdir(), 'mangrove-differential-'));
  const running = await startEngine({ dataDir, port: 0 });
  const server = await connect(
    running.uri,
    async () => {
      await running.close();
      await rm(dataDir, { recursive: true, force: true });
    },
    'embedded',
  );
  const keys: Document[] = [{ a: 1 }, { 'a.x': -1 }, { b: 1, s: -1 }, { s: 1, c: 1 }, { 'b.x': 1 }];
  await server.collection.createIndexes(keys.map((key) => ({ key: key as Record<string, 1 | -1> })));
  return server;
}

/** The other servers to compare with: those of `MANGROVE_ORACLE_URIS`, separated by spaces. */
export const oracleUris = (process.env['MANGROVE_ORACLE_URIS'] ?? '').split(' ').filter((uri) => uri !== '');

export const oracles = (): Promise<Server[]> =>
  Promise.all(oracleUris.map((uri) => connect(uri, async () => {})));

/** Replaces the documents of a server's collection. */
export async function load({ collection }: Server, documents: readonly Document[]): Promise<void> {
  await collection.deleteMany({});
  await collection.insertMany(documents.map((document) => ({ ...document })));
}

/** Runs a case on a server. */
export async function ask({ collection }: Server, request: Case): Promise<Document[]> {
  switch (request.kind) {
    case 'find':
      return collection
        .find(request.filter, { projection: request.projection })
        .sort(request.sort as Record<string, 1>)
        .toArray();
    case 'pipeline':
      return collection.aggregate(request.pipeline).toArray();
    default: {
      const { filter, update, arrayFilters } = request;
      await collection.updateOne(filter, update, arrayFilters === undefined ? {} : { arrayFilters });
      return collection.find().sort({ _id: 1 }).toArray();
    }
  }
}

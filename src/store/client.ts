import { type Db, MongoClient } from 'mongodb';
import { errors } from '../errors.js';

export interface StoreOptions {
  /** A MongoDB deployment, or an engine of our own. */
  readonly uri: string;
  /** The database; null: the one that `uri` names, else `mangrove`. */
  readonly name?: string | null;
  /** Milliseconds that one read may take on the server. */
  readonly maxTimeMS?: number;
  readonly maxPoolSize?: number;
  /** Milliseconds to wait for a server that does not answer. */
  readonly serverSelectionTimeoutMS?: number;
}

export interface Store {
  readonly client: MongoClient;
  readonly db: Db;
  readonly maxTimeMS: number;
  /** The number of entries in a collection is metadata and exact: an unfiltered count costs nothing. */
  readonly exactMetadata: boolean;
  close(): Promise<void>;
}

/** Connects, so that a wrong address is known at once. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const client = new MongoClient(options.uri, {
    maxPoolSize: options.maxPoolSize ?? 50,
    serverSelectionTimeoutMS: options.serverSelectionTimeoutMS ?? 10_000,
    ignoreUndefined: true,
  });
  try {
    await client.connect();
    const db = client.db(databaseName(options));
    return {
      client,
      db,
      maxTimeMS: options.maxTimeMS ?? 5000,
      exactMetadata: await countsExactly(db),
      close: () => client.close(),
    };
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** A database named in the address wins over the default, `name` over both. */
function databaseName({ uri, name }: StoreOptions): string {
  if (name) return name;
  const named = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(uri)?.[1];
  const text = named ? decodeURIComponent(named) : 'mangrove';
  if (/[/\\. "$*<>:|?\0]/.test(text)) throw errors.application(`"${text}" is no name for a database`);
  return text;
}

/** A sharded cluster counts orphans, and a server that announces FerretDB answers from statistics. */
async function countsExactly(db: Db): Promise<boolean> {
  const [hello, build] = await Promise.all([db.command({ hello: 1 }), db.command({ buildInfo: 1 })]);
  return hello['msg'] !== 'isdbgrid' && build['ferretdb'] === undefined;
}

import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Db,
  type Document,
  MongoClient,
  type MongoClientOptions,
  type WriteConcernSettings,
} from 'mongodb';
import { errors } from '../errors.js';
import { BY_ROW } from '../pipeline/types.js';
import { endingCommands } from './connection/closed-sockets.js';
import { ALL_DECODED } from './connection/decoding.js';
import { databaseIn, topologyOf } from './connection/deployment.js';
import { engineOf, formsFor, joinsSharded, type LookupSetting } from './connection/engine.js';
import type { Store } from './connection/store.js';
import { newTotals } from './connection/totals.js';

interface StoreOptions {
  /** URI of a MongoDB deployment or of the embedded engine. */
  readonly uri: string;
  /** Name of the database; null: the one in `uri`, or else `mangrove`. */
  readonly name?: string | null;
  /**
   * The database of Mangrove's own collections, if it is not the content's: on this deployment if its `uri`
   * is null.
   */
  readonly system?: { readonly uri: string | null; readonly name: string | null } | string | null;
  /** Time limit of one read on the server, in milliseconds. */
  readonly maxTimeMS?: number;
  readonly maxPoolSize?: number;
  /** Time limit for counting the total of a page, in milliseconds; 2000 if absent. */
  readonly totalMaxTimeMS?: number;
  /** Milliseconds for which a total may be reused by later requests; 0 if absent. */
  readonly totalMaxAgeMS?: number;
  /** Maximum number of ids in one query; 10,000 if absent. */
  readonly maxIds?: number;
  /** How relations are joined; `auto` if absent. */
  readonly lookups?: LookupSetting;
  /** Milliseconds to wait for a server to respond, or for a new primary; 10,000 if absent. */
  readonly serverSelectionTimeoutMS?: number;
  /** Milliseconds to wait for a free connection; 10,000 if absent. */
  readonly waitQueueTimeoutMS?: number;
  /** Time limit of a commit on the server, in milliseconds; 10,000 if absent. */
  readonly maxCommitTimeMS?: number;
  /** Milliseconds for which a write that a failover interrupted is retried; 20,000 if absent. */
  readonly retryWritesMS?: number;
}

export type { Store };

/** The wire version of MongoDB 8.0. */
const WIRE_8_0 = 25;

/**
 * Milliseconds that a start waits for a server. Shorter than in normal operation, where an election may be in
 * progress.
 */
const REACH_MS = 5000;

/**
 * Milliseconds that the cleanup of acknowledged writes may delay closing the connections; the next start
 * completes the rest.
 */
const ENDING_MS = 3000;

/** Leaves out the options that the URI itself sets. */
const unlessNamed = (uri: string, options: MongoClientOptions): MongoClientOptions =>
  Object.fromEntries(Object.entries(options).filter(([name]) => !new RegExp(`[?&]${name}=`, 'i').test(uri)));

/** The version of the server at this URI; rejects if none responds. For URIs that a person entered. */
export async function reach(uri: string): Promise<string> {
  const client = new MongoClient(uri, {
    ...unlessNamed(uri, { serverSelectionTimeoutMS: REACH_MS }),
    ...endingCommands(),
  });
  try {
    await client.connect();
    return String((await client.db('admin').command({ buildInfo: 1 }))['version']);
  } finally {
    await client.close();
  }
}

function newClient(uri: string, options: StoreOptions): MongoClient {
  const { maxPoolSize = 50, serverSelectionTimeoutMS = 10_000, waitQueueTimeoutMS = 10_000 } = options;
  const own = { maxPoolSize, serverSelectionTimeoutMS, waitQueueTimeoutMS, appName: 'mangrove' };
  return new MongoClient(uri, {
    ...unlessNamed(uri, own),
    ...ALL_DECODED,
    ...endingCommands(),
    ignoreUndefined: true,
  });
}

/** Opens a store. Connects immediately, so that a wrong URI is reported at once. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { system = null } = options;
  // As a setting it is text, which database.ts resolves.
  const own = typeof system === 'string' ? null : system;
  const client = newClient(own?.uri ?? options.uri, options);
  const other = own?.uri ? newClient(options.uri, options) : client;
  const clients = [...new Set([client, other])];
  const beforeClose: Store['beforeClose'] = [];
  const close = async (): Promise<void> => {
    await Promise.race([
      Promise.all(beforeClose.map((end) => end())),
      sleep(ENDING_MS, undefined, { ref: false }),
    ]);
    for (const each of clients) await each.close();
  };
  if (client.options.writeConcern?.w === 0)
    throw errors.application(
      'write-concern-unacknowledged',
      'w=0 in the URI: every write must be acknowledged',
    );
  try {
    await client.connect();
    await other.connect();
    const contentName = databaseName(options);
    const name = own
      ? databaseName({ ...options, uri: own.uri ?? options.uri, name: own.name })
      : contentName;
    const [hello, build] = await about(client.db(name));
    const db = client.db(name, { readPreference: 'primary', writeConcern: durable(client, hello) });
    const engine = engineOf(build);
    const apart = other !== client || name !== contentName;
    const exactMetadata = countsExactly(build);
    const [theirs, theirBuild] = other === client ? [hello, build] : await about(other.db(contentName));
    const content = {
      client: other,
      name: contentName,
      apart,
      watched: new Set<string>(),
      exactMetadata: countsExactly(theirBuild),
      writeConcern: durable(other, theirs),
    };
    return {
      client,
      db,
      lists: client.db(name),
      totals: newTotals({
        maxTimeMS: options.totalMaxTimeMS ?? 2000,
        maxAgeMS: options.totalMaxAgeMS ?? 0,
      }),
      maxTimeMS: options.maxTimeMS ?? 5000,
      maxIds: options.maxIds ?? 10_000,
      exactMetadata,
      content,
      engine,
      writesAcross: engine.name === 'embedded' || Number(hello['maxWireVersion']) >= WIRE_8_0,
      writesAtOnce: engine.name === 'embedded',
      refusesJoins: refusesJoins(hello, build) || refusesJoins(theirs, theirBuild),
      form: { ...BY_ROW, ...formsFor(engine, options.lookups ?? 'auto') },
      writeLimits: {
        retryMS: options.retryWritesMS ?? 20_000,
        maxCommitTimeMS: options.maxCommitTimeMS ?? 10_000,
      },
      beforeClose,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A database in the URI wins over the default, `name` over both. */
function databaseName({ uri, name }: StoreOptions): string {
  if (name) return name;
  const text = databaseIn(uri) ?? 'mangrove';
  if (/[/\\. "$*<>:|?\0]/.test(text))
    throw errors.application('database-name-invalid', `"${text}" is not a valid database name`);
  return text;
}

/**
 * The write concern that makes acknowledged writes survive a crash. The defaults are not enough for a
 * standalone server, which acknowledges before writing to the journal, nor for a primary with an arbiter,
 * which waits for no other member. Options in the URI win.
 */
const durable = ({ options }: MongoClient, hello: Document): WriteConcernSettings => {
  const { w, journal, wtimeoutMS } = options.writeConcern ?? {};
  const isStandalone = topologyOf(hello) === 'standalone';
  return {
    w: w ?? (isStandalone ? 1 : 'majority'),
    ...(journal === undefined ? isStandalone && { journal: true } : { journal }),
    ...(wtimeoutMS !== undefined && { wtimeoutMS }),
  };
};

const refusesJoins = (hello: Document, build: Document): boolean =>
  topologyOf(hello) === 'sharded cluster' && !joinsSharded(engineOf(build));

/** The responses of a server to `hello` and `buildInfo`. */
export const about = (db: Db): Promise<[hello: Document, build: Document]> =>
  Promise.all([db.command({ hello: 1 }), db.command({ buildInfo: 1 })]);

/**
 * Whether the count in a collection's metadata is exact. That of MongoDB may be wrong after a crash, until the
 * collection is validated or synchronized again; a sharded cluster also counts orphaned documents, and FerretDB
 * returns estimates from statistics.
 */
export const countsExactly = (build: Document): boolean => engineOf(build).name === 'embedded';

/**
 * Examines a live deployment: what it is, what is wrong, and what to do about it. Writes nothing, apart from what the
 * checks passed by the caller do: where claims are missing, the next start is made to search for them again.
 */
import type { Db } from 'mongodb';
import type { AppEvent } from '../../events/events.js';
import { escapeText } from '../../pipeline/filters/operators.js';
import { storedAs } from '../../pipeline/sources/stored.js';
import { uniqueAttributes } from '../../schema/find.js';
import { collectionsOf } from '../../schema/stored/collections.js';
import type { Schema } from '../../schema/types.js';
import { codeOf } from '../../values/code-of.js';
import { reasonOf } from '../../values/reason-of.js';
import { about } from '../client.js';
import { collectionOf } from '../connection/collections.js';
import { type Topology, topologyOf } from '../connection/deployment.js';
import { type Engine, engineOf, isSince, joinsSharded } from '../connection/engine.js';
import type { Store } from '../connection/store.js';
import { crowded, indexDrift } from '../indexes/sync.js';
import { accounts } from './accounts.js';
import { code } from './code.js';
import { halfWritten, orphans } from './content.js';
import { asFinding, type DoctorCheck, type DoctorContext, type Finding, ownTypes } from './finding.js';

/** The checks of what a deployment supports, independent of its content. */
export const ABILITIES: readonly string[] = ['version', 'topology', 'sharding'];

/** MongoDB's code for the indexes of a collection that does not exist. */
const NO_COLLECTION = 26;

/** MongoDB's code for a `$lookup` into a sharded collection, which it supports from 5.1 on. */
const NOT_JOINED = 28769;

/** Runs all checks, or those in `only`, and those in `more`. A check that the server does not permit becomes a warning. */
export async function examine(
  store: Store,
  schema: Schema,
  only: readonly string[] | null = null,
  more: Readonly<Record<string, DoctorCheck>> = {},
): Promise<readonly Finding[]> {
  const [hello] = await about(store.db);
  const context: DoctorContext = { store, schema, topology: topologyOf(hello) };
  const findings: Finding[] = [];
  const checks = Object.entries(CHECKS).filter(([about]) => only === null || only.includes(about));
  for (const [about, check] of [...checks, ...Object.entries(more)]) {
    const found = await check(context).catch((error: unknown): readonly AppEvent[] => {
      if (codeOf(error) === NOT_JOINED) return [{ name: 'sharded-not-examined', about }];
      return [{ name: 'database-not-examined', about, reason: reasonOf(error) }];
    });
    findings.push(...found.map(asFinding));
  }
  return findings;
}

const version: DoctorCheck = async ({ store }) => {
  const others = await contentServer(store);
  return [store.engine, ...others.map(({ engine }) => engine)].map((engine): AppEvent => {
    const runs = { engine: engine.name, version: engine.version.join('.') };
    const serves = engine.name !== 'mongodb' || isSince(engine.version, [5, 0]);
    return serves ? { name: 'database-version', ...runs } : { name: 'database-too-old', ...runs };
  });
};

interface Server {
  readonly engine: Engine;
  readonly topology: Topology;
}

/** The server of adopted collections, if Mangrove's own are on another one. */
async function contentServer({ client, content }: Store): Promise<readonly Server[]> {
  if (content.client === client) return [];
  const [hello, build] = await about(content.client.db(content.name));
  return [{ engine: engineOf(build), topology: topologyOf(hello) }];
}

const topology: DoctorCheck = async ({ store, topology: kind }) => [
  store.engine.name === 'mongodb' && kind === 'standalone'
    ? { name: 'database-standalone' }
    : { name: 'database-topology', topology: kind },
  ...(await contentServer(store)).map(
    (server): AppEvent => ({
      name: 'database-topology',
      topology: server.topology,
    }),
  ),
];

const sharding: DoctorCheck = async (context) => {
  const { store, topology: kind } = context;
  const { engine, client, db } = store;
  const types = ownTypes(context).filter(({ shard }) => shard !== null);
  if (types.length === 0) return [];
  const uids = types.map(({ uid }) => uid);
  if (kind !== 'sharded cluster') return [{ name: 'sharding-without-effect', uids }];
  const sharded = await client
    .db('config')
    .collection<{ readonly _id: string; readonly key: object }>('collections')
    .find({
      _id: { $regex: `^${escapeText(db.databaseName)}\\.` },
      // From 8.0 on, collections on a single shard are also listed.
      unsplittable: { $ne: true },
      dropped: { $ne: true },
    })
    .toArray();
  const known = new Map(sharded.map(({ _id, key }) => [_id, Object.keys(key).join(', ')]));
  const version = engine.version.join('.');
  const found: AppEvent[] = joinsSharded(engine)
    ? []
    : [{ name: 'sharded-joins-unsupported', uids, version }];
  const collections: string[] = [];
  for (const type of types) {
    const wanted = Object.keys(type.shard ?? {}).join(', ');
    for (const collection of collectionsOf(type)) {
      const key = known.get(`${db.databaseName}.${collection}`);
      if (!key) collections.push(collection);
      else if (key !== wanted) found.push({ name: 'shard-key-other', collection, key, wanted });
    }
  }
  if (collections.length > 0) found.push({ name: 'types-not-sharded', collections });
  return found.length > 0 ? found : [{ name: 'types-sharded', uids }];
};

const indexes: DoctorCheck = async ({ store, schema }) => {
  const drift = await indexDrift(store, schema);
  const placed = (list: readonly { readonly collection: string; readonly name: string }[]) =>
    list.map(({ collection, name }) => `${collection} ${name}`);
  const found: readonly AppEvent[] = [
    ...crowded(schema).map((reason) => ({ name: 'indexes-too-many' as const, reason })),
    { name: 'indexes-missing', indexes: placed(drift.missing) },
    { name: 'indexes-different', indexes: placed(drift.changed) },
    { name: 'indexes-unasked', indexes: placed(drift.extra) },
    { name: 'unique-not-enforced', attributes: await notUnique(store, schema) },
  ];
  const wrong = found.filter(
    (event) =>
      !('indexes' in event && event.indexes.length === 0) &&
      !('attributes' in event && event.attributes.length === 0),
  );
  return wrong.length > 0 ? wrong : [{ name: 'indexes-complete' }];
};

/** In collections of other programs, only their own unique indexes keep values unique. */
async function notUnique(store: Store, schema: Schema): Promise<readonly string[]> {
  const found: string[] = [];
  for (const type of schema.contentTypes.values()) {
    const wanted = type.storage?.write ? uniqueAttributes(type) : [];
    if (wanted.length === 0) continue;
    const stored = await collectionOf(store, storedAs(type, 'published'))
      .indexes()
      .catch((error: unknown) => {
        if (codeOf(error) === NO_COLLECTION) return [];
        throw error;
      });
    const unique = new Set(stored.filter((index) => index.unique).map(({ key }) => Object.keys(key).join()));
    const lacking = wanted.filter((attribute) => attribute.stored !== '_id' && !unique.has(attribute.stored));
    found.push(...lacking.map(({ name }) => `${type.uid} ${name}`));
  }
  return found;
}

const slow: DoctorCheck = async ({ store }) => {
  const { db, engine, content } = store;
  const found = engine.name === 'mongodb' ? await slowReads(db) : [];
  if (!content.apart) return found;
  const others = content.client === store.client ? [{ engine }] : await contentServer(store);
  if (others.every((server) => server.engine.name !== 'mongodb')) return found;
  return [...found, ...(await slowReads(content.client.db(content.name)))];
};

/** What the profiler of a database has recorded. */
async function slowReads(db: Db): Promise<readonly AppEvent[]> {
  const { was } = await db.command({ profile: -1 });
  if (was === 0) return [{ name: 'profiler-off' }];
  const shapes = await db
    .collection('system.profile')
    .aggregate([
      { $match: { appName: 'mangrove', ns: { $ne: `${db.databaseName}.system.profile` } } },
      { $group: { _id: { ns: '$ns', plan: '$planSummary' }, n: { $sum: 1 }, ms: { $max: '$millis' } } },
      { $sort: { ms: -1 } },
      { $limit: 5 },
    ])
    .toArray();
  return shapes.map(({ _id, n, ms }) => ({
    name: 'reads-slow',
    collection: String(_id.ns),
    count: Number(n),
    ms: Number(ms),
    plan: String(_id.plan ?? ''),
  }));
}

const CHECKS: Readonly<Record<string, DoctorCheck>> = {
  version,
  topology,
  sharding,
  indexes,
  orphans,
  accounts,
  code,
  'half-written': halfWritten,
  'slow reads': slow,
};

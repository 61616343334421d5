/** A look at a live deployment: what it is, what it lacks, and what to do about it. Reads only. */
import type { ContentType, Schema } from '../schema/types.js';
import { about, type Store } from './client.js';
import { collectionName } from './collections.js';
import { topologyOf } from './deployment.js';
import { halfWritten, orphans } from './doctor-content.js';
import { isSince } from './engine.js';
import {
  type Check,
  type DoctorContext,
  type Finding,
  ok,
  ownTypes,
  problem,
  type Say,
  warning,
} from './finding.js';
import { crowded, indexDrift } from './sync-indexes.js';

/** What a deployment is able to do for a schema, whatever it holds. */
export const ABILITIES: readonly string[] = ['version', 'topology', 'sharding'];

/** Asks a live deployment everything, or what `only` names. A check that the server does not allow is a warning. */
export async function examine(
  store: Store,
  schema: Schema,
  only: readonly string[] | null = null,
): Promise<readonly Finding[]> {
  const [hello] = await about(store.db);
  const look: DoctorContext = { store, schema, topology: topologyOf(hello) };
  const findings: Finding[] = [];
  for (const [about, check] of Object.entries(CHECKS)) {
    if (only && !only.includes(about)) continue;
    const said = await check(look).catch((error: unknown) => [
      warning(
        `not examined: ${error instanceof Error ? error.message : String(error)}`,
        'See the rights of the user',
      ),
    ]);
    findings.push(...said.map((say) => ({ about, ...say })));
  }
  return findings;
}

const collectionsOf = (type: ContentType): readonly string[] => [
  ...new Set([collectionName(type, 'draft'), collectionName(type, 'published')]),
];

const version: Check = async ({ store: { engine } }) => {
  const text = `${engine.name} ${engine.version.join('.')}`;
  if (engine.name !== 'mongodb' || isSince(engine.version, [5, 0])) return [ok(text)];
  return [problem(text, 'Mangrove needs MongoDB 5.0 or newer')];
};

const topology: Check = async ({ store: { engine }, topology: kind }) =>
  engine.name === 'mongodb' && kind === 'standalone'
    ? [
        warning(
          'a standalone server: writes are ordered steps with a journal, not transactions',
          'Run it as a replica set, of one member at least',
        ),
      ]
    : [ok(kind)];

const sharding: Check = async (look) => {
  const { store, topology: kind } = look;
  const { engine, client, db } = store;
  const wanted = ownTypes(look).filter(({ shard }) => shard !== null);
  if (wanted.length === 0) return [];
  const names = wanted.map(({ uid }) => uid).join(', ');
  if (kind !== 'sharded cluster')
    return [
      warning(`${names}: options.shard, but this is not a sharded cluster`, 'Nothing to do until it is one'),
    ];
  const found: Say[] = [];
  if (!isSince(engine.version, [5, 1]))
    found.push(
      problem(
        `MongoDB ${engine.version.join('.')} cannot join sharded collections, so populate and filters on ${names} fail`,
        'Upgrade to 6.0 or newer, or leave the types unsharded',
      ),
    );
  const sharded = await client
    .db('config')
    .collection<{ readonly _id: string }>('collections')
    .find({ _id: { $regex: `^${db.databaseName.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\.` } })
    .toArray();
  const known = new Set(sharded.map(({ _id }) => _id));
  const missing = wanted.flatMap(collectionsOf).filter((name) => !known.has(`${db.databaseName}.${name}`));
  return missing.length === 0
    ? [...found, ok(`${wanted.length} content types are sharded`)]
    : [
        ...found,
        problem(`not sharded yet: ${missing.join(', ')}`, 'mangrove shard plan prints the commands'),
      ];
};

const indexes: Check = async ({ store, schema }) => {
  const { missing, changed, extra } = await indexDrift(store, schema);
  const said = crowded(schema).map((text) => problem(text, 'Take relations or indexes out of the schema'));
  const place = ({ collection, name }: { collection: string; name: string }): string =>
    `${collection} ${name}`;
  if (missing.length > 0)
    said.push(problem(`missing: ${missing.map(place).join(', ')}`, 'mangrove indexes sync'));
  if (changed.length > 0)
    said.push(problem(`not as the schemas ask: ${changed.map(place).join(', ')}`, 'mangrove indexes sync'));
  if (extra.length > 0)
    said.push(
      warning(`asked for by no schema: ${extra.map(place).join(', ')}`, 'Drop those that nothing needs'),
    );
  return said.length > 0 ? said : [ok('as the schemas ask')];
};

const slow: Check = async ({ store: { db, engine } }) => {
  if (engine.name !== 'mongodb') return [];
  const { was } = await db.command({ profile: -1 });
  if (was === 0)
    return [
      warning(
        'the profiler is off, so nothing is known of slow reads',
        'db.setProfilingLevel(1, { slowms: 100 })',
      ),
    ];
  const shapes = await db
    .collection('system.profile')
    .aggregate([
      { $match: { appName: 'mangrove', ns: { $ne: `${db.databaseName}.system.profile` } } },
      { $group: { _id: { ns: '$ns', plan: '$planSummary' }, n: { $sum: 1 }, ms: { $max: '$millis' } } },
      { $sort: { ms: -1 } },
      { $limit: 5 },
    ])
    .toArray();
  return shapes.map(({ _id, n, ms }) =>
    warning(
      `${_id.ns}: ${n} slow reads, up to ${ms} ms, by ${_id.plan ?? 'an unknown plan'}`,
      String(_id.plan).includes('COLLSCAN')
        ? 'Add the attributes that they filter or sort by to indexes of the schema'
        : 'mangrove explain shows what such a request does',
    ),
  );
};

const CHECKS: Readonly<Record<string, Check>> = {
  version,
  topology,
  sharding,
  indexes,
  orphans,
  'half written': halfWritten,
  'slow reads': slow,
};

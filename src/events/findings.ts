import { plural } from '../values/plural.js';
import { finding } from './row.js';

const WHEN = '`mangrove doctor`, or `mangrove check --live`,';

/** The possible findings about a live deployment. */
export const FOUND = {
  'database-not-examined': finding(({ about }) => about, 'warn', ['about', 'reason'])
    .says(({ reason }) => `not examined: ${reason}`)
    .advises('Check the permissions of the database user')
    .when(`${WHEN} lacks the permission to check something`),
  'sharded-not-examined': finding(({ about }) => about, 'warn', ['about'])
    .says('not examined: this version of MongoDB cannot join sharded collections')
    .advises('Upgrade to 6.0 or newer to have it examined')
    .when('`mangrove doctor` would have to join sharded collections on a MongoDB older than 5.1'),
  'database-version': finding('version', 'info', ['engine', 'version'])
    .says(({ engine, version }) => `${engine} ${version}`)
    .when(`${WHEN} reads the version`),
  'database-too-old': finding('version', 'error', ['engine', 'version'])
    .says(({ engine, version }) => `${engine} ${version}`)
    .advises('Mangrove needs MongoDB 5.0 or newer')
    .when(`${WHEN} finds an older MongoDB`),
  'database-topology': finding('topology', 'info', ['topology'])
    .says(({ topology }) => topology)
    .when(`${WHEN} reads the topology`),
  'database-standalone': finding('topology', 'warn', [])
    .says('a standalone server: writes are ordered steps with a journal, not transactions')
    .advises('Run it as a replica set, which may have a single member')
    .when(`${WHEN} finds a server without transactions`),
  'route-answers-501': finding('code', 'warn', ['route', 'reason'])
    .says(({ route, reason }) => `${route} answers 501: ${reason}`)
    .advises('Change its code, or do without it: docs/strapi-code.md lists what runs')
    .when(`${WHEN} finds a route of a Strapi project whose code used what Mangrove does not have`),
  'sharding-without-effect': finding('sharding', 'warn', ['uids'])
    .says(({ uids }) => `${uids.join(', ')}: options.shard, but this is not a sharded cluster`)
    .advises('Nothing to do until it is one')
    .when('schemas request sharding, but the deployment is not a sharded cluster'),
  'sharded-joins-unsupported': finding('sharding', 'error', ['uids', 'version'])
    .says(
      ({ uids, version }) =>
        `MongoDB ${version} cannot join sharded collections, so populating or sorting by ${uids.join(', ')} fails`,
    )
    .advises('Upgrade to 6.0 or newer, or leave the types unsharded')
    .when('the version of a sharded cluster is older than 5.1'),
  'types-sharded': finding('sharding', 'info', ['uids'])
    .says(({ uids }) => `${plural(uids.length, 'content type is', 'content types are')} sharded`)
    .when('every collection that should be sharded is sharded'),
  'shard-key-other': finding('sharding', 'error', ['collection', 'key', 'wanted'])
    .says(({ collection, key, wanted }) => `${collection} is sharded by ${key}, not by ${wanted}`)
    .advises('Set options.shard to its key, or reshard the collection (reshardCollection)')
    .when('the shard key of a collection differs from its schema file'),
  'types-not-sharded': finding('sharding', 'error', ['collections'])
    .says(({ collections }) => `not sharded yet: ${collections.join(', ')}`)
    .advises('mangrove shard plan prints the commands')
    .when('collections that should be sharded are not'),
  'indexes-too-many': finding('indexes', 'error', ['reason'])
    .says(({ reason }) => reason)
    .advises('Remove relations or indexes from the schema')
    .when('a schema requires more indexes on a collection than MongoDB allows'),
  'indexes-missing': finding('indexes', 'error', ['indexes'])
    .says(({ indexes }) => `missing: ${indexes.join(', ')}`)
    .advises('mangrove indexes sync')
    .when('indexes that the schemas require are missing'),
  'indexes-different': finding('indexes', 'error', ['indexes'])
    .says(({ indexes }) => `different from the schemas: ${indexes.join(', ')}`)
    .advises('mangrove indexes sync')
    .when('indexes have different keys or options'),
  'indexes-unasked': finding('indexes', 'warn', ['indexes'])
    .says(({ indexes }) => `not required by any schema: ${indexes.join(', ')}`)
    .advises('Drop those that are not needed')
    .when('there are indexes that no schema requires'),
  'unique-not-enforced': finding('indexes', 'warn', ['attributes'])
    .says(({ attributes }) => `no unique index keeps these attributes unique: ${attributes.join(', ')}`)
    .advises('Create the index in the database, or remove unique from the schema file')
    .when('an attribute of an adopted collection is unique in its schema file only'),
  'indexes-complete': finding('indexes', 'info', [])
    .says('as the schemas require')
    .when('every index is as the schemas require'),
  'references-dangling': finding('orphans', 'warn', ['attributes'])
    .says(({ attributes }) => `references to missing documents: ${attributes.join(', ')}`)
    .advises(
      'They are not shown, and reappear with their target; to remove them, save the entries, except in adopted collections, which keep them',
    )
    .when('entries refer to documents that do not exist'),
  'references-complete': finding('orphans', 'info', [])
    .says('every reference has a target')
    .when('every reference that was checked has a target'),
  'references-not-examined': finding('orphans', 'info', ['attributes'])
    .says(({ attributes }) => `not examined, since they do not refer to _id: ${attributes.join(', ')}`)
    .when('relations of adopted collections refer to other fields than `_id`'),
  'names-alike': finding('accounts', 'warn', ['names'])
    .says(({ names }) => `names of accounts that pass for each other: ${names.join('; ')}`)
    .advises('Rename or delete all but one of each, then restart')
    .when('the names of several accounts are equal but for case or look-alike letters'),
  'names-distinct': finding('accounts', 'info', [])
    .says('every account has a name of its own')
    .when('no account has a name that passes for that of another'),
  'writes-incomplete': finding('half-written', 'warn', ['count'])
    .says(({ count }) => `${count} writes in the journal are not complete`)
    .advises('Mangrove completes them; if they remain, check its log')
    .when('the journal of a standalone server contains writes'),
  'drafts-missing': finding('half-written', 'warn', ['uid', 'count'])
    .says(({ uid, count }) => `${uid}: ${count} published entries have no draft`)
    .advises('discardDraft creates one for each')
    .when('published entries have no draft'),
  'writes-complete': finding('half-written', 'info', [])
    .says('no half-written documents')
    .when('neither of the previous two applies'),
  'claims-missing': finding('claims', 'error', ['uid', 'count'])
    .says(
      ({ uid, count }) =>
        `${uid}: ${count} unique values or one-to-one targets are not claimed, so others can take them`,
    )
    .advises('Start Mangrove again: the next start searches this type and claims them')
    .when('entries lack the claims that keep others from having the same unique value or one-to-one target'),
  'claims-of-others': finding('claims', 'error', ['uid', 'count'])
    .says(
      ({ uid, count }) =>
        `${uid}: ${count} unique values or one-to-one targets are claimed by another document`,
    )
    .advises('Two documents have the same: change one of them')
    .when('entries have what another document has claimed'),
  'claims-abandoned': finding('claims', 'warn', ['uid', 'count'])
    .says(({ uid, count }) => `${uid}: ${count} claims are for values that their document no longer has`)
    .advises('Nothing to do: a write that needs one takes it over')
    .when('there are claims that no entry of their document has'),
  'claims-complete': finding('claims', 'info', [])
    .says('every entry that was compared has its claims')
    .when('none of the previous three applies'),
  'profiler-off': finding('slow reads', 'warn', [])
    .says('the profiler is off, so slow reads are not recorded')
    .advises('db.setProfilingLevel(1, { slowms: 100 })')
    .when('`mangrove doctor` looks for slow reads, which MongoDB does not record'),
  'reads-slow': finding('slow reads', 'warn', ['collection', 'count', 'ms', 'plan'])
    .says(
      ({ collection, count, ms, plan }) =>
        `${collection}: ${count} slow reads, up to ${ms} ms, using ${plan === '' ? 'an unknown plan' : plan}`,
    )
    .advises(({ plan }) =>
      plan.includes('COLLSCAN')
        ? 'Add an index on the attributes that they filter or sort by to the schema'
        : 'mangrove explain shows how such a request is executed',
    )
    .when('the MongoDB profiler has recorded slow reads by Mangrove'),
};

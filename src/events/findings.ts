import { finding } from './row.js';

const WHEN = '`mangrove doctor`, or `mangrove check --live`,';

/** What a look at a live deployment may find. */
export const FOUND = {
  'database-not-examined': finding(({ about }) => about, 'warn', ['about', 'reason'])
    .says(({ reason }) => `not examined: ${reason}`)
    .advises('See the rights of the user')
    .when(`${WHEN} may not ask for something`),
  'database-version': finding('version', 'info', ['engine', 'version'])
    .says(({ engine, version }) => `${engine} ${version}`)
    .when(`${WHEN} asks for the version`),
  'database-too-old': finding('version', 'error', ['engine', 'version'])
    .says(({ engine, version }) => `${engine} ${version}`)
    .advises('Mangrove needs MongoDB 5.0 or newer')
    .when(`${WHEN} finds an older MongoDB`),
  'database-topology': finding('topology', 'info', ['topology'])
    .says(({ topology }) => topology)
    .when(`${WHEN} asks for the topology`),
  'database-standalone': finding('topology', 'warn', [])
    .says('a standalone server: writes are ordered steps with a journal, not transactions')
    .advises('Run it as a replica set, of one member at least')
    .when(`${WHEN} finds a server without transactions`),
  'sharding-without-effect': finding('sharding', 'warn', ['uids'])
    .says(({ uids }) => `${uids.join(', ')}: options.shard, but this is not a sharded cluster`)
    .advises('Nothing to do until it is one')
    .when('schemas ask for sharding, and the deployment is not a sharded cluster'),
  'sharded-joins-unsupported': finding('sharding', 'error', ['uids', 'version'])
    .says(
      ({ uids, version }) =>
        `MongoDB ${version} cannot join sharded collections, so populate and sorts of ${uids.join(', ')} are refused`,
    )
    .advises('Upgrade to 6.0 or newer, or leave the types unsharded')
    .when('the version of a sharded cluster is older than 5.1'),
  'types-sharded': finding('sharding', 'info', ['uids'])
    .says(({ uids }) => `${uids.length} content types are sharded`)
    .when('every collection that is to be sharded is'),
  'shard-key-other': finding('sharding', 'error', ['collection', 'key', 'wanted'])
    .says(({ collection, key, wanted }) => `${collection} is sharded by ${key}, not by ${wanted}`)
    .advises('Write its key into options.shard, or reshard the collection (reshardCollection)')
    .when('a collection is sharded by another key than its schema file says'),
  'types-not-sharded': finding('sharding', 'error', ['collections'])
    .says(({ collections }) => `not sharded yet: ${collections.join(', ')}`)
    .advises('mangrove shard plan prints the commands')
    .when('collections that are to be sharded are not'),
  'indexes-too-many': finding('indexes', 'error', ['reason'])
    .says(({ reason }) => reason)
    .advises('Take relations or indexes out of the schema')
    .when('a schema asks for more indexes on a collection than MongoDB allows'),
  'indexes-missing': finding('indexes', 'error', ['indexes'])
    .says(({ indexes }) => `missing: ${indexes.join(', ')}`)
    .advises('mangrove indexes sync')
    .when('indexes that the schemas ask for are not there'),
  'indexes-different': finding('indexes', 'error', ['indexes'])
    .says(({ indexes }) => `not as the schemas ask: ${indexes.join(', ')}`)
    .advises('mangrove indexes sync')
    .when('indexes are there with other keys or options'),
  'indexes-unasked': finding('indexes', 'warn', ['indexes'])
    .says(({ indexes }) => `asked for by no schema: ${indexes.join(', ')}`)
    .advises('Drop those that nothing needs')
    .when('there are indexes that no schema asks for'),
  'indexes-complete': finding('indexes', 'info', [])
    .says('as the schemas ask')
    .when('every index is as the schemas ask'),
  'references-dangling': finding('orphans', 'warn', ['attributes'])
    .says(({ attributes }) => `references whose target is gone: ${attributes.join(', ')}`)
    .advises('They are not shown, and come back with their target; write the entries to drop them')
    .when('entries refer to documents that are not there'),
  'references-complete': finding('orphans', 'info', [])
    .says('every reference has its target')
    .when('no entry that was looked at refers to nothing'),
  'writes-incomplete': finding('half written', 'warn', ['count'])
    .says(({ count }) => `${count} writes in the journal are not complete`)
    .advises('Mangrove completes them; if they stay, look at its log')
    .when('the journal of a standalone server holds writes'),
  'drafts-missing': finding('half written', 'warn', ['uid', 'count'])
    .says(({ uid, count }) => `${uid}: ${count} published entries have no draft`)
    .advises('discardDraft makes one of each')
    .when('published entries have no draft'),
  'writes-complete': finding('half written', 'info', [])
    .says('nothing is half written')
    .when('neither of the two before'),
  'profiler-off': finding('slow reads', 'warn', [])
    .says('the profiler is off, so nothing is known of slow reads')
    .advises('db.setProfilingLevel(1, { slowms: 100 })')
    .when('`mangrove doctor` looks for slow reads, which MongoDB does not note'),
  'reads-slow': finding('slow reads', 'warn', ['collection', 'count', 'ms', 'plan'])
    .says(
      ({ collection, count, ms, plan }) =>
        `${collection}: ${count} slow reads, up to ${ms} ms, by ${plan === '' ? 'an unknown plan' : plan}`,
    )
    .advises(({ plan }) =>
      plan.includes('COLLSCAN')
        ? 'Add the attributes that they filter or sort by to indexes of the schema'
        : 'mangrove explain shows what such a request does',
    )
    .when("MongoDB's profile names slow reads of Mangrove"),
};

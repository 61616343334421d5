import { finding } from './row.js';

const WHEN = '`mangrove doctor`, or `mangrove check --live`,';

/** What a look at a live deployment may find. */
export const FOUND = {
  'database-not-examined': finding(['about', 'reason'], {
    level: 'warn',
    about: ({ about }) => about,
    text: ({ reason }) => `not examined: ${reason}`,
    advice: 'See the rights of the user',
    when: `${WHEN} may not ask for something`,
  }),
  'database-version': finding(['engine', 'version'], {
    level: 'info',
    about: 'version',
    text: ({ engine, version }) => `${engine} ${version}`,
    when: `${WHEN} asks for the version`,
  }),
  'database-too-old': finding(['engine', 'version'], {
    level: 'error',
    about: 'version',
    text: ({ engine, version }) => `${engine} ${version}`,
    advice: 'Mangrove needs MongoDB 5.0 or newer',
    when: `${WHEN} finds an older MongoDB`,
  }),
  'database-topology': finding(['topology'], {
    level: 'info',
    about: 'topology',
    text: ({ topology }) => topology,
    when: `${WHEN} asks for the topology`,
  }),
  'database-standalone': finding([], {
    level: 'warn',
    about: 'topology',
    text: () => 'a standalone server: writes are ordered steps with a journal, not transactions',
    advice: 'Run it as a replica set, of one member at least',
    when: `${WHEN} finds a server without transactions`,
  }),
  'sharding-without-effect': finding(['uids'], {
    level: 'warn',
    about: 'sharding',
    text: ({ uids }) => `${uids.join(', ')}: options.shard, but this is not a sharded cluster`,
    advice: 'Nothing to do until it is one',
    when: 'schemas ask for sharding, and the deployment is not a sharded cluster',
  }),
  'sharded-joins-unsupported': finding(['uids', 'version'], {
    level: 'error',
    about: 'sharding',
    text: ({ uids, version }) =>
      `MongoDB ${version} cannot join sharded collections, so populate and sorts of ${uids.join(', ')} are refused`,
    advice: 'Upgrade to 6.0 or newer, or leave the types unsharded',
    when: 'the version of a sharded cluster is older than 5.1',
  }),
  'types-sharded': finding(['uids'], {
    level: 'info',
    about: 'sharding',
    text: ({ uids }) => `${uids.length} content types are sharded`,
    when: 'every collection that is to be sharded is',
  }),
  'shard-key-other': finding(['collection', 'key', 'wanted'], {
    level: 'error',
    about: 'sharding',
    text: ({ collection, key, wanted }) => `${collection} is sharded by ${key}, not by ${wanted}`,
    advice: 'Write its key into options.shard, or reshard the collection (reshardCollection)',
    when: 'a collection is sharded by another key than its schema file says',
  }),
  'types-not-sharded': finding(['collections'], {
    level: 'error',
    about: 'sharding',
    text: ({ collections }) => `not sharded yet: ${collections.join(', ')}`,
    advice: 'mangrove shard plan prints the commands',
    when: 'collections that are to be sharded are not',
  }),
  'indexes-too-many': finding(['reason'], {
    level: 'error',
    about: 'indexes',
    text: ({ reason }) => reason,
    advice: 'Take relations or indexes out of the schema',
    when: 'a schema asks for more indexes on a collection than MongoDB allows',
  }),
  'indexes-missing': finding(['indexes'], {
    level: 'error',
    about: 'indexes',
    text: ({ indexes }) => `missing: ${indexes.join(', ')}`,
    advice: 'mangrove indexes sync',
    when: 'indexes that the schemas ask for are not there',
  }),
  'indexes-different': finding(['indexes'], {
    level: 'error',
    about: 'indexes',
    text: ({ indexes }) => `not as the schemas ask: ${indexes.join(', ')}`,
    advice: 'mangrove indexes sync',
    when: 'indexes are there with other keys or options',
  }),
  'indexes-unasked': finding(['indexes'], {
    level: 'warn',
    about: 'indexes',
    text: ({ indexes }) => `asked for by no schema: ${indexes.join(', ')}`,
    advice: 'Drop those that nothing needs',
    when: 'there are indexes that no schema asks for',
  }),
  'indexes-complete': finding([], {
    level: 'info',
    about: 'indexes',
    text: () => 'as the schemas ask',
    when: 'every index is as the schemas ask',
  }),
  'references-dangling': finding(['attributes'], {
    level: 'warn',
    about: 'orphans',
    text: ({ attributes }) => `references whose target is gone: ${attributes.join(', ')}`,
    advice: 'They are not shown, and come back with their target; write the entries to drop them',
    when: 'entries refer to documents that are not there',
  }),
  'references-complete': finding([], {
    level: 'info',
    about: 'orphans',
    text: () => 'every reference has its target',
    when: 'no entry that was looked at refers to nothing',
  }),
  'writes-incomplete': finding(['count'], {
    level: 'warn',
    about: 'half written',
    text: ({ count }) => `${count} writes in the journal are not complete`,
    advice: 'Mangrove completes them; if they stay, look at its log',
    when: 'the journal of a standalone server holds writes',
  }),
  'drafts-missing': finding(['uid', 'count'], {
    level: 'warn',
    about: 'half written',
    text: ({ uid, count }) => `${uid}: ${count} published entries have no draft`,
    advice: 'discardDraft makes one of each',
    when: 'published entries have no draft',
  }),
  'writes-complete': finding([], {
    level: 'info',
    about: 'half written',
    text: () => 'nothing is half written',
    when: 'neither of the two before',
  }),
  'profiler-off': finding([], {
    level: 'warn',
    about: 'slow reads',
    text: () => 'the profiler is off, so nothing is known of slow reads',
    advice: 'db.setProfilingLevel(1, { slowms: 100 })',
    when: '`mangrove doctor` looks for slow reads, which MongoDB does not note',
  }),
  'reads-slow': finding(['collection', 'count', 'ms', 'plan'], {
    level: 'warn',
    about: 'slow reads',
    text: ({ collection, count, ms, plan }) =>
      `${collection}: ${count} slow reads, up to ${ms} ms, by ${plan === '' ? 'an unknown plan' : plan}`,
    advice: ({ plan }) =>
      plan.includes('COLLSCAN')
        ? 'Add the attributes that they filter or sort by to indexes of the schema'
        : 'mangrove explain shows what such a request does',
    when: "MongoDB's profile names slow reads of Mangrove",
  }),
};

import { Binary, Decimal128, type Document, Double, Long, UUID } from 'bson';

/** A command and its result: an error code if it is rejected, otherwise the value of a part of the response. */
export type Step = readonly [
  command: Document | (() => Document),
  wanted?: number | unknown,
  part?: (reply: Document) => unknown,
];

const batch = (reply: Document): Document[] => reply['cursor'].firstBatch;
const first = (reply: Document): Document => reply['cursor'].firstBatch[0];
/** A response without the fields that drivers add. */
const withoutTimes = ({ operationTime: _, $clusterTime: __, ...reply }: Document): Document => reply;
/** In a form that the driver does not recognize, so that it waits for the reply. */
const NOBODY = { w: new Double(0) };
const CASE = { locale: 'en', strength: 2 };
const FIL = { locale: 'fil' };

const lookup = (from: string): Document => ({
  $lookup: { from, localField: 'x', foreignField: 'x', as: 'found' },
});
const union = (coll: string): Document => ({ $unionWith: { coll } });
const view = (create: string, viewOn: string, more: Document = {}): Document => ({ create, viewOn, ...more });
const read = (aggregate: string, ...pipeline: Document[]): Document => ({ aggregate, pipeline, cursor: {} });
const index = (key: Document, more: Document = {}): Document => ({
  createIndexes: 'c',
  indexes: [{ key, name: Object.keys(key).join(), ...more }],
});
const change = (u: Document | Document[], more: Document = {}): Document => ({
  update: 'c',
  updates: [{ q: { _id: 1 }, u, ...more }],
});
const insert = (...documents: Document[]): Document => ({ insert: 'c', documents });
const deep = Array.from({ length: 20 }, (_, i): Step => [view(`v${i + 1}`, `v${i + 2}`)]);
const planner = (reply: Document): Document =>
  reply['queryPlanner'] ?? reply['stages'][0].$cursor.queryPlanner;
const strength = (reply: Document): unknown => planner(reply)['collation'].strength;

const STRICT = { apiVersion: '1', apiStrict: true };
/** A find of one field's element by its position. */
const positioned = (filter: Document, path: string): Document => ({
  find: 'c',
  filter,
  projection: { [`${path}.$`]: 1 },
});
const encrypted = { $jsonSchema: { properties: { p: { properties: { ssn: { encrypt: {} } } } } } };
const HUGE = 'x'.repeat(16 * 1024 * 1024);
/** The ids of the documents that each document leads to. */
const reached = (reply: Document): unknown =>
  Object.fromEntries(
    batch(reply).map(({ _id, found }) => [_id, (found as Document[]).map((each) => each['_id'])]),
  );
const walk = (startWith: unknown): Document => ({
  $graphLookup: {
    from: 'c',
    startWith,
    connectFromField: 'x',
    connectToField: 'to',
    as: 'found',
    maxDepth: 0,
  },
});
/** A join with the documents whose _id is at a path. */
const joined = (localField: string): Document => ({
  $lookup: {
    from: 'c',
    localField,
    foreignField: '_id',
    as: 'found',
  },
});
const SNAPSHOT = { readConcern: { level: 'snapshot' } };
const STABLE = { apiVersion: '1' };

const session = { lsid: { id: new UUID() } };
let transactions = 0;
/** What a sequence keeps from one response for its next commands: the id of a cursor or a collection. */
let opened: unknown;
/** Starts a transaction, or continues the last one. */
const begin = (command: Document): Document => {
  transactions += 1;
  return { ...next(command), startTransaction: true };
};
const next = (command: Document): Document => ({
  ...command,
  ...session,
  txnNumber: Long.fromNumber(transactions),
  autocommit: false,
});

/** Sequences of commands, each on an empty database. */
export const CONVERSATIONS: Readonly<Record<string, readonly Step[]>> = {
  'a positional projection returns an element of the first array on its path, and leaves out what is not an array':
    [
      [insert({ _id: 1, x: [1, 2], a: [{ b: [5] }, { b: [6], c: 1 }], s: { t: 3, u: 4 } })],
      [positioned({ x: 2 }, 'a.b'), [{ _id: 1, a: [{ b: [6] }] }], batch],
      [positioned({ x: 2 }, 's.t'), [{ _id: 1, s: { t: 3 } }], batch],
      [positioned({}, 's.nowhere'), [{ _id: 1, s: {} }], batch],
      [positioned({}, 'nowhere'), [{ _id: 1 }], batch],
      [positioned({}, 'x'), 51246],
    ],
  'the Stable API is enforced in every batch, and for stages': [
    [insert({ _id: 1 }, { _id: 2 })],
    [
      { find: 'c', batchSize: 1, ...STRICT },
      1,
      ({ cursor }) => {
        opened = cursor.id;
        return cursor.firstBatch.length;
      },
    ],
    [() => ({ getMore: opened, collection: 'c' }), 347],
    [() => ({ getMore: opened, collection: 'c', ...STRICT }), [{ _id: 2 }], ({ cursor }) => cursor.nextBatch],
    [{ ...read('c', { $indexStats: {} }), ...STRICT }, 323],
    [{ ...read('c', { $facet: { a: [{ $collStats: { storageStats: {} } }] } }), ...STRICT }, 323],
    [{ ...read('c', { $unionWith: { coll: 'c', pipeline: [{ $indexStats: {} }] } }), ...STRICT }, 323],
    [{ ...read('c', { $collStats: { count: {} } }), ...STRICT }, 2, (reply) => first(reply)['count']],
    [{ ...view('v', 'c', { pipeline: [{ $currentOp: {} }] }), ...STRICT }, 323],
    [{ findandmodify: 'c', query: {}, remove: true, ...STRICT }, 323],
    [{ insert: 'system.js', documents: [{ _id: 1 }], ...STRICT }, 323],
    [{ ...index({ a: 'text' }), ...STRICT }, 323],
  ],
  'a collection can be read by its UUID, only in its own database': [
    [insert({ _id: 1, a: 5 })],
    [
      { listCollections: 1 },
      4,
      (reply) => {
        const { uuid } = first(reply)['info'];
        opened = uuid;
        return uuid.sub_type;
      },
    ],
    [() => ({ find: opened }), [{ _id: 1, a: 5 }], batch],
    [() => ({ count: opened }), 1, ({ n }) => n],
    [() => ({ distinct: opened, key: 'a' }), [5], ({ values }) => values],
    [() => ({ listIndexes: opened }), '_id_', (reply) => first(reply)['name']],
    [{ find: new UUID() }, 26],
    [() => ({ insert: opened, documents: [{}] }), 73],
  ],
  'reads accept no write concern': [
    [{ ...read('c'), writeConcern: { w: 1 } }],
    [{ ...read('c', { $out: 'd' }), explain: true, writeConcern: { w: 1 } }, 72],
    [{ explain: { ...read('c', { $out: 'd' }), writeConcern: { w: 1 } } }, 72],
    [{ ...read('c', { $out: 'd' }), writeConcern: { w: 1 } }],
  ],
  'storage engine options are kept, for existing engines': [
    [{ create: 'c', storageEngine: { wiredTiger: {} }, indexOptionDefaults: { storageEngine: {} } }],
    [
      { listCollections: 1 },
      { storageEngine: { wiredTiger: {} }, indexOptionDefaults: { storageEngine: {} } },
      (reply) => first(reply)['options'],
    ],
    [{ create: 'd', storageEngine: { frob: {} } }, 72],
    [{ create: 'd', storageEngine: { wiredTiger: 5 } }, 2],
    [{ create: 'd', indexOptionDefaults: { frob: 1 } }, 40415],
    [{ create: 'd', indexOptionDefaults: { storageEngine: { frob: {} } } }, 72],
  ],
  'a validator that requires encryption must be strict and return errors': [
    [{ create: 'c', validator: encrypted, validationAction: 'warn' }, 224],
    [{ create: 'c', validator: encrypted, validationLevel: 'moderate' }, 224],
    [{ create: 'c', validator: encrypted }],
    [insert({ _id: 1, p: { ssn: 'plain' } }), 121],
    [insert({ _id: 1, p: { ssn: new Binary(Buffer.of(1), 6) } })],
    [{ collMod: 'c', validationAction: 'warn' }, 224],
  ],
  'statistics of a database count its views, and divide by the scale': [
    [insert({ _id: 1, t: 'x'.repeat(4000) })],
    [view('v', 'c')],
    [
      { dbStats: 1, scale: 1024 },
      [2, 1, 1, 4022, 4022 / 1024, 1024],
      (reply) => [
        reply['collections'],
        reply['views'],
        reply['objects'],
        reply['avgObjSize'],
        reply['dataSize'],
        reply['scaleFactor'],
      ],
    ],
    [{ collStats: 'c', scale: 1024 }, [3, 4022], (reply) => [reply['size'], reply['avgObjSize']]],
    [{ dbStats: 1, scale: 0 }, 2],
    [{ create: 'full', capped: true, size: 4096 }],
    [{ collStats: 'full', scale: 1024 }, 4, (reply) => reply['maxSize']],
  ],
  'a dropped database is not dropped again': [
    [insert({ _id: 1 })],
    [{ dropDatabase: 1 }, 'string', ({ dropped }) => typeof dropped],
    [{ dropDatabase: 1 }, 'undefined', ({ dropped }) => typeof dropped],
  ],
  'a document of more than 16 MB has an error code by operation': [
    [insert({ _id: 1, t: HUGE }), 2],
    [{ update: 'c', updates: [{ q: { _id: 1 }, u: { t: HUGE }, upsert: true }] }, 17420],
    [insert({ _id: 1 })],
    [change({ $set: { t: HUGE } }), 17419],
  ],
  'an explained query that fails reports the error with its plan': [
    [insert({ _id: 1, a: 'x' })],
    [
      {
        explain: { find: 'c', filter: { $expr: { $eq: [{ $abs: '$a' }, 1] } } },
        verbosity: 'executionStats',
      },
      [false, 28765],
      ({ executionStats }) => [executionStats.executionSuccess, executionStats.errorCode],
    ],
    [
      { explain: { find: 'c' } },
      104857600,
      ({ serverParameters }) => serverParameters.internalQueryMaxBlockingSortMemoryUsageBytes,
    ],
  ],
  'unsupported commands are rejected by name, after validating their collection': [
    [insert({ _id: 1 })],
    [view('v', 'c')],
    [{ convertToCapped: 'c', size: 4096 }, 115],
    [{ convertToCapped: '', size: 4096 }, 73],
    [{ convertToCapped: 'v', size: 4096 }, 166],
    [{ mapReduce: 'c', map: 'f', reduce: 'g', out: 'd' }, 115],
    [{ compact: 'a\0b' }, 73],
    [{ reIndex: 'c' }, 20],
    [{ profile: 1 }, 115],
    [{ profile: -1 }, 0, ({ was }) => was],
    [{ planCacheClear: 'c' }],
    [{ planCacheListFilters: 'c' }, [], ({ filters }) => filters],
    [{ planCacheSetFilter: 'c', query: {}, indexes: [{ a: 1 }] }, 115],
    [{ dataSize: 'c' }, 73],
    [{ usersInfo: 1 }, [], ({ users }) => users],
    [{ frobnicate: 'c' }, 59],
  ],
  'a validator compares strings by the collation of its collection, but a JSON schema does not': [
    [{ create: 'c', validator: { a: 'xyz' }, collation: CASE }],
    [insert({ _id: 1, a: 'XYZ' })],
    [change({ $set: { a: 'Xyz' } })],
    [change({ $set: { a: 'xy' } }), 121],
    [{ create: 'd', validator: { $jsonSchema: { properties: { a: { enum: ['xyz'] } } } }, collation: CASE }],
    [{ insert: 'd', documents: [{ a: 'XYZ' }] }, 121],
    [{ insert: 'd', documents: [{ a: 'xyz' }] }],
  ],
  'no collection is created if none of the documents can be stored': [
    [insert({ _id: [1] }), 53],
    [insert({ _id: [1] }, { _id: 2 }), 53],
    [{ listCollections: 1 }, [], batch],
    [{ ...insert({ _id: [1] }, { _id: 2 }), ordered: false }, 53],
    [{ find: 'c' }, [{ _id: 2 }], batch],
  ],
  'fields for client-side encryption are named in the error': [
    [{ find: 'c', jsonSchema: {} }, 4662500],
    [{ ...insert({ _id: 1 }), jsonSchema: {} }, 4662500],
    [{ explain: { find: 'c' }, jsonSchema: {} }, 9],
  ],
  'a scan cannot be resumed': [[{ find: 'c', $_requestResumeToken: true }, 238]],
  'a zero remainder of a negative decimal is negative': [
    [insert({ _id: 1, a: -9 })],
    [
      read('c', { $project: { m: { $mod: ['$a', new Decimal128('3')] } } }),
      '-0',
      (reply) => String(first(reply)['m']),
    ],
  ],
  'an index has one special type': [
    [index({ a: 'hashed', b: '2dsphere' }), 67],
    [index({ a: '2dsphere', b: 'text' }), 67],
    [index({ a: '2d', b: '2d' }), 16800],
    [index({ a: 1, b: '2d' }), 16801],
    [index({ a: '2dsphere', b: '2dsphere' })],
    [index({ a: '2d', c: 1 })],
  ],
  'a session can be started': [
    [{ startSession: 1 }, [4, 30], ({ id, timeoutMinutes }) => [id.id.sub_type, timeoutMinutes]],
  ],
  '$natural in a hint or sort stands alone': [
    [insert({ _id: 1 }, { _id: 2 })],
    [{ find: 'c', hint: { $natural: 1, a: 1 } }, 2],
    [{ find: 'c', hint: { $natural: -1 } }, [{ _id: 2 }, { _id: 1 }], batch],
  ],
  'a view can be sorted by $natural': [
    [insert({ _id: 1 }, { _id: 2 })],
    [{ create: 'v', viewOn: 'c', pipeline: [] }],
    [{ find: 'v', sort: { $natural: -1 } }, [{ _id: 2 }, { _id: 1 }], batch],
    [{ find: 'v', sort: { $natural: 1 } }, [{ _id: 1 }, { _id: 2 }], batch],
  ],
  '$skip and $limit take 64 bits': [
    [insert({ _id: 1 })],
    [read('c', { $limit: Long.MAX_VALUE }), [{ _id: 1 }], batch],
    [read('c', { $skip: Long.MAX_VALUE }), [], batch],
    [read('c', { $skip: 2 ** 63 }), 5107200],
    [read('c', { $limit: 2 ** 63 }), 5107201],
    [read('none', { $sort: { _id: 1 } }, { $limit: 1e19 }), 5107201],
  ],
  'a chain of 20 views is allowed, and can only be read from below its top': [
    ...deep,
    [view('v0', 'v1'), 165],
    [view('w', 'c', { pipeline: [union('v1')] }), 165],
    [read('v1'), 165],
    [read('v2'), [], batch],
    [read('v10', union('v1')), 165],
    [read('v10', lookup('v1')), 165],
    [view('w', 'v10')],
  ],
  'dependent views have the same collation, whichever is created first': [
    [view('below', 'c', { collation: FIL })],
    [view('above', 'below', { collation: { locale: 'es' } }), 167],
    [view('above', 'below', { collation: FIL })],
    [{ drop: 'below' }],
    [view('below', 'c'), 167],
    [view('below', 'c', { collation: { locale: 'es' } }), 167],
    [view('below', 'c', { collation: FIL })],
    [view('other', 'gap', { collation: FIL })],
    [view('third', 'gap', { collation: { locale: 'es' } })],
    [view('gap', 'c', { collation: FIL }), 167],
  ],
  'queries on a view are explained as a pipeline on its collection': [
    [insert({ f: 'a' }, { f: 'A' })],
    [view('folded', 'c', { collation: CASE })],
    [{ explain: { find: 'folded', filter: { f: 'a' } } }, 2, strength],
    [{ explain: { count: 'folded', query: { f: 'a' } } }, 2, strength],
    [{ explain: { distinct: 'folded', key: 'f' } }, 2, strength],
    [{ explain: read('folded', { $match: { f: 'a' } }) }, 2, strength],
  ],
  'commands that do not support views reject them': [
    [view('shown', 'c')],
    [{ collStats: 'shown' }, 166],
    [insert({ _id: 1 })],
    [read('c', { $merge: { into: 'shown', whenMatched: 'fail' } }), 166],
    [read('c', { $merge: { into: 'shown', whenMatched: 'keepExisting' } }), 166],
    [{ create: 'system.views', viewOn: 'c' }, 73],
  ],
  'a version 1 index and a text index have no collation': [
    [{ create: 'c', collation: CASE }],
    [index({ a: 1 }, { v: 1 })],
    [
      { listIndexes: 'c' },
      [2, undefined],
      (reply) => reply['cursor'].firstBatch.map((i: Document) => i['collation']?.strength),
    ],
    [index({ b: 'text' }), 67],
    [index({ b: 'text' }, { collation: { locale: 'simple' } })],
  ],
  'the index on _id follows the options of create': [
    [{ create: 'c', idIndex: { key: { _id: 1 }, name: 'other' } }, 2],
    [{ create: 'c', autoIndexId: true, idIndex: { key: { _id: 1 }, name: '_id_' } }, 72],
    [{ create: 'c', idIndex: { key: { _id: 1 }, name: '_id_', v: 1 } }],
    [{ listIndexes: 'c' }, 1, (reply) => first(reply)['v']],
  ],
  'constants are for pipelines, and may be the inserted document': [
    [insert({ _id: 1, n: 1 })],
    [change({ $set: { n: 2 } }, { c: { m: 2 } }), 51198],
    [change([{ $set: { n: '$$m' } }], { c: { m: '$n' } })],
    [{ find: 'c' }, [{ _id: 1, n: '$n' }], batch],
    [change([{ $set: { n: 1 } }], { upsertSupplied: true, c: { new: {} } }), 9],
    [change([{ $set: { n: 1 } }], { upsert: true, upsertSupplied: true, c: { new: 1 } }), 9],
    [{ delete: 'c', deletes: [{ q: {}, limit: 0 }] }],
    [change([{ $set: { n: 1 } }], { upsert: true, upsertSupplied: true, c: { new: { given: true } } })],
    [{ find: 'c' }, [{ _id: 1, given: true }], batch],
  ],
  'an explained update is validated, too': [
    [{ explain: change({ $set: { 'a.$[i]': 1 } }, { arrayFilters: 'i' }) }, 14],
    [{ explain: change({ $set: { 'a.$[i]': 1 } }) }, 2],
  ],
  'messages print values as the shell does': [
    [insert({ _id: 1, a: [{ b: new Double(0) }] })],
    [
      change({ $set: { 'a.b': 1 } }),
      "Cannot create field 'b' in element {a: [ { b: 0.0 } ]}",
      (reply) => reply['writeErrors'][0].errmsg,
    ],
    [
      change({ $set: { 'a.$[i]': new Double(5) } }, { arrayFilters: [{ i: 0 }, { j: Long.ONE }] }),
      "The array filter for identifier 'j' was not used in the update { $set: { a.$[i]: 5.0 } }",
      (reply) => reply['writeErrors'][0].errmsg,
    ],
  ],
  'variables of a command have their own names and values': [
    [insert({ _id: 1, a: 3 })],
    [
      { ...read('c', { $set: { b: '$$sum' } }), let: { sum: { $add: [1, 2] } } },
      [{ _id: 1, a: 3, b: 3 }],
      batch,
    ],
    [
      {
        ...read('c', { $set: { b: '$$of' } }),
        let: { of: { $getField: { field: 'x', input: { x: 2 } } } },
      },
      [{ _id: 1, a: 3, b: 2 }],
      batch,
    ],
    [{ ...read('c', { $set: { b: '$$at' } }), let: { at: '$a' } }, 4890500],
    [{ ...read('c'), let: { Big: 1 } }, 9],
    [{ ...read('c'), let: { ROOT: 1 } }, 9],
    [{ ...read('c'), let: { NOW: 1 } }, 4738901],
    [
      {
        ...read('c', union('c'), {
          $unionWith: { coll: 'c', pipeline: [{ $match: { $expr: { $eq: ['$a', '$$three'] } } }] },
        }),
        let: { three: 3 },
      },
      3,
      (reply) => reply['cursor'].firstBatch.length,
    ],
  ],
  'a sort can be random': [
    [insert({ _id: 1, a: 2 }, { _id: 2, a: 1 }, { _id: 3, a: 3 })],
    [
      { find: 'c', sort: { a: 1, _id: { $meta: 'randVal' } }, projection: { a: 1, _id: 0 } },
      [{ a: 1 }, { a: 2 }, { a: 3 }],
      batch,
    ],
    [read('c', { $sort: { _id: { $meta: 'randVal' } } }, { $count: 'n' }), [{ n: 3 }], batch],
    [{ find: 'c', sort: { a: { $meta: 'nope' } } }, 31138],
    [{ find: 'c', sort: { a: { $meta: 1 } } }, 31138],
    [read('c', { $sort: { a: { $meta: 'searchScore' } } }), 31218],
    [read('c', { $sort: { a: { $meta: 'searchHighlights' } } }), 31219],
  ],
  'a hidden index cannot be hinted': [
    [index({ a: 1 }, { hidden: true })],
    [{ find: 'c', hint: { a: 1 } }, 2],
    [{ find: 'c', hint: 'a' }, 2],
    [index({ a: 1 }, { name: 'other', partialFilterExpression: { a: /^x/ } }), 67],
  ],
  'a position comes from a condition that must hold, not from an alternative or a negation': [
    [insert({ _id: 1, a: [1, 2, 3], b: [4, 5, 6] })],
    [
      { find: 'c', filter: { $or: [{ a: 3 }, { a: 2 }] }, projection: { 'a.$': 1 } },
      [{ _id: 1, a: [2] }],
      batch,
    ],
    [{ find: 'c', filter: { $or: [{ a: 2 }, { b: 5 }] }, projection: { 'a.$': 1 } }, 51246],
    [{ find: 'c', filter: { a: { $ne: 7 } }, projection: { 'a.$': 1 } }, 51246],
    [{ find: 'c', filter: { a: { $ne: 7, $gt: 1 } }, projection: { 'a.$': 1 } }, [{ _id: 1, a: [2] }], batch],
  ],
  'the fields that $merge matches on have single values': [
    [index({ k: 1 }, { unique: true })],
    [read('c', { $merge: { into: 'c', on: 'k' } })],
    [insert({ _id: 1, k: [1, 2] })],
    [read('c', { $merge: { into: 'c', on: 'k' } }), 51185],
    [{ delete: 'c', deletes: [{ q: {}, limit: 0 }] }],
    [insert({ _id: 1 })],
    [read('c', { $merge: { into: 'c', on: 'k' } }), 51132],
  ],
  'in a transaction, server statistics and writes to system collections are rejected': [
    [insert({ _id: 1 })],
    [begin(read('c', { $collStats: {} })), 263],
    [begin(read('c', { $indexStats: {} })), 263],
    [begin({ insert: 'system.js', documents: [{ _id: 1 }] }), 50791],
    [begin(change({ $set: { a: 1 } }))],
    [next({ update: 'system.js', updates: [{ q: {}, u: { $set: { a: 1 } } }] }), 50791],
    [begin({ delete: 'system.js', deletes: [{ q: {}, limit: 1 }] }), 50791],
    [begin({ findAndModify: 'system.js', query: {}, remove: true }), 50781],
    [begin({ find: 'system.js' }), [], batch],
  ],
  'in a transaction, indexes are only created on new, empty collections': [
    [{ create: 'c' }],
    [begin(index({ a: 1 })), 263],
    [begin(index({ _id: 1 }, { name: '_id_' }))],
    [next({ create: 'd' })],
    [next({ ...index({ a: 1 }), createIndexes: 'd' })],
    [next({ ...insert({ a: 1 }), insert: 'd' })],
    [next({ ...index({ a: 1 }), createIndexes: 'd' })],
    [next({ ...index({ b: 1 }), createIndexes: 'd' }), 263],
    [begin({ ...insert({ a: 1 }), insert: 'd' })],
    [next({ ...index({ b: 1 }), createIndexes: 'd' }), 263],
  ],
  'the session is validated before the command': [
    [{ find: 1, txnNumber: Long.ONE, ...session }, 50768],
    [{ aggregate: 'c', txnNumber: Long.ONE, ...session }, 50768],
    [{ distinct: 'c', txnNumber: 1, ...session }, 14],
    [{ distinct: 'c', ...session }, 40414],
  ],
  'query operators that a $match stage does not allow': [
    [read('c', { $match: { $where: 'true' } }), 2],
    [read('c', { $match: { $and: [{ a: { $near: [0, 0] } }] } }), 5626500],
    [read('c', { $limit: 1 }, { $match: { $text: { $search: 'x' } } }), 2],
    [read('c', { $match: { a: { $eq: { $near: 1 } } } }), [], batch],
  ],
  'equivalent index definitions are the same index': [
    [index({ a: 1 }, { name: 'i', partialFilterExpression: { a: { $gt: 0, $lt: 9 }, b: 'x' } })],
    [
      index(
        { a: 1 },
        { name: 'i', partialFilterExpression: { $and: [{ b: 'x' }, { a: { $lt: 9 } }, { a: { $gt: 0 } }] } },
      ),
      'all indexes already exist',
      ({ note }) => note,
    ],
    [index({ a: 1 }, { name: 'j', partialFilterExpression: { b: 'x', a: { $lt: 9, $gt: 0 } } }), 85],
    [index({ '$**': 1 }, { wildcardProjection: { a: { b: 1 }, c: 1 } })],
    [
      index({ '$**': 1 }, { wildcardProjection: { c: true, 'a.b': 1, _id: 0 } }),
      'all indexes already exist',
      ({ note }) => note,
    ],
    [index({ '$**': 1 }, { name: 'id', wildcardProjection: { _id: 1, 'a.b': 1, c: 1 } })],
  ],
  'metadata is allowed next to inclusions and exclusions': [
    [insert({ _id: 1, a: 1, b: 2 })],
    [read('c', { $project: { a: 0, k: { $meta: 'indexKey' } } }), [{ _id: 1, b: 2 }], batch],
    [read('c', { $project: { _id: 0, k: { $meta: 'indexKey' } } }), [{}], batch],
  ],
  'valid wildcard index projections': [
    [index({ '$**': 'hashed' }), 67],
    [index({ 'a.$**': 'text' }), 67],
    [index({ '$**': 1 }, { v: 1 }), 67],
    [index({ '$**': 1 }, { wildcardProjection: { a: 1, b: false } }), 31254],
    [index({ '$**': 1 }, { wildcardProjection: { a: { b: 0 }, c: 1 } }), 31253],
    [index({ '$**': 1 }, { wildcardProjection: { a: '$b' } }), 51271],
    [index({ '$**': 1 }, { wildcardProjection: {} }), 9],
    [index({ 'a.$**': 1 }, { wildcardProjection: { b: 1 } }), 9],
    [index({ a: 1 }, { wildcardProjection: { b: 1 } }), 2],
    [index({ '$**': 1 }, { wildcardProjection: { _id: 1, a: 0, b: { c: 0 } } })],
  ],
  'an unacknowledged write returns no more than ok': [
    [{ ...insert({ _id: 1 }, { _id: 1 }), writeConcern: NOBODY }, { ok: 1 }, withoutTimes],
    [{ ...change({ $set: { a: 1 } }), writeConcern: NOBODY }, { ok: 1 }, withoutTimes],
    [{ delete: 'c', deletes: [{ q: {}, limit: 0 }], writeConcern: NOBODY }, { ok: 1 }, withoutTimes],
    [{ ...insert({ _id: 1 }), writeConcern: { ...NOBODY, j: true } }, { n: 1, ok: 1 }, withoutTimes],
  ],
  'the definitions of views can be read as a collection': [
    [{ create: 'v', viewOn: 'c', pipeline: [{ $match: { a: 1 } }] }],
    [{ create: 'w', viewOn: 'v', pipeline: [] }],
    [
      { find: 'system.views', filter: { viewOn: 'c' }, projection: { _id: 0 } },
      [{ viewOn: 'c', pipeline: [{ $match: { a: 1 } }] }],
      batch,
    ],
    [{ count: 'system.views' }, 2, ({ n }) => n],
    [{ listIndexes: 'system.views' }, [{ v: 2, key: { _id: 1 }, name: '_id_' }], batch],
    [{ delete: 'system.views', deletes: [{ q: {}, limit: 0 }] }, 73],
    [{ collMod: 'system.views', validator: {} }, 73],
    [
      { listCollections: 1, nameOnly: true, filter: { name: 'system.views' } },
      [{ name: 'system.views', type: 'collection' }],
      batch,
    ],
    [{ drop: 'v' }],
    [{ drop: 'w' }],
    [{ listCollections: 1, filter: { name: 'system.views' } }, [], batch],
  ],
  'an upsert allows field names that an update does not': [
    [{ update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { $a: 1 } }, upsert: true }] }],
    [{ update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { $a: 2 } }, upsert: true }] }, 52],
  ],
  'an upsert takes no values from expressions': [
    [{ update: 'c', updates: [{ q: { $expr: true }, u: { $set: { a: 1 } }, upsert: true }] }, 224],
    [insert({ _id: 1, a: [{ b: 5 }] })],
    [change({ $pull: { a: { $expr: true } } }), 224],
  ],
  'collections can be created in transactions, but not with snapshot reads': [
    [{ ...begin({ create: 'made' }), ...SNAPSHOT }, 72],
    [next({ find: 'c' }), 251],
    [{ ...begin(index({ a: 1 })), ...SNAPSHOT }, 72],
    [{ ...begin({ create: 'made' }), readConcern: { level: 'local' } }],
    [next({ find: 'made' }), [], batch],
  ],
  'all commands of a transaction have the same Stable API parameters': [
    [{ ...begin(insert({ _id: 1 })), ...STABLE }],
    [next(insert({ _id: 2 })), 347],
    [next({ find: 'c', ...STABLE, apiStrict: false }), 347],
    [next({ find: 'c', ...STABLE }), [{ _id: 1 }], batch],
    [begin({ find: 'c' }), [], batch],
  ],
  'a collection cannot be altered while a transaction writes to it': [
    [insert({ _id: 1 })],
    [index({ b: 1 })],
    [begin(insert({ _id: 2 }))],
    [{ drop: 'c', maxTimeMS: 50 }, 50],
    [{ dropDatabase: 1, maxTimeMS: 50 }, 50],
    [{ collMod: 'c', validator: {}, maxTimeMS: 50 }, 50],
    [{ dropIndexes: 'c', index: 'b', maxTimeMS: 50 }, 50],
    [{ ...index({ a: 1 }), maxTimeMS: 50 }, 50],
    [index({ b: 1 })],
    [{ create: 'other' }],
    [{ drop: 'other' }],
    [begin({ find: 'c' }), [{ _id: 1 }], batch],
    [{ drop: 'c' }],
  ],
  'a transaction cannot write to a collection that was dropped since it started': [
    [insert({ _id: 1 })],
    [begin({ find: 'c' }), [{ _id: 1 }], batch],
    [{ drop: 'c' }],
    [next({ find: 'c' }), [{ _id: 1 }], batch],
    [next(change({ $set: { a: 1 } })), 112],
    [next({ find: 'c' }), 251],
  ],
  '$merge uses a unique index only if the collation is the same': [
    [insert({ _id: 1, a: 'x' })],
    [{ createIndexes: 't', indexes: [{ key: { a: 1 }, name: 'a', unique: true, collation: CASE }] }],
    [read('c', { $merge: { into: 't', on: 'a' } }), 51183],
    [{ ...read('c', { $merge: { into: 't', on: 'a' } }), collation: { locale: 'en' } }, 51183],
    [{ ...read('c', { $merge: { into: 't', on: 'a' } }), collation: CASE }],
    [{ find: 't' }, [{ _id: 1, a: 'x' }], batch],
    [read('c', { $merge: { into: { db: 'd', coll: 't', more: 1 } } }), 40415],
    [
      read('c', { $set: { _id: 2, a: 'x' } }, { $merge: { into: 't' } }),
      true,
      (reply) => reply['message'].startsWith('$merge failed due to a DuplicateKey error'),
    ],
  ],
  'parts of a view can be changed': [
    [insert({ _id: 1, a: 1 }, { _id: 2 })],
    [view('v', 'c', { pipeline: [{ $match: { a: 1 } }] })],
    [{ collMod: 'v', pipeline: [{ $match: { _id: 2 } }] }],
    [{ find: 'v' }, [{ _id: 2 }], batch],
    [{ collMod: 'v', viewOn: 'nowhere' }],
    [{ find: 'v' }, [], batch],
  ],
  'statistics in a view are those of its source': [
    [view('v', 'w', { pipeline: [{ $collStats: { latencyStats: {} } }] })],
    [view('w', 'c', { pipeline: [{ $collStats: { latencyStats: {} } }, { $match: {} }] })],
    [read('v'), '.w', (reply) => first(reply)['ns'].replace(/^[^.]*/, '')],
    [read('w'), '.c', (reply) => first(reply)['ns'].replace(/^[^.]*/, '')],
    [
      read('v', { $collStats: { latencyStats: {} } }),
      '.v',
      (reply) => first(reply)['ns'].replace(/^[^.]*/, ''),
    ],
    [read('v', { $collStats: { storageStats: {} } }), 166],
  ],
  'a missing field leads a $graphLookup nowhere, and null only to nulls': [
    [insert({ _id: 1, to: null }, { _id: 2 }, { _id: 3, to: 1 })],
    [read('c', walk('$to')), { 1: [1], 2: [], 3: [3] }, reached],
    [read('c', walk(null)), { 1: [1], 2: [1], 3: [1] }, reached],
  ],
  'a $graphLookup visits a document once by its _id, whatever the collation': [
    [insert({ _id: 'a', x: 'B' }, { _id: 'A', to: 'b' }, { _id: 'b', to: 'B' }, { _id: 'B', to: 'b' })],
    [{ ...read('c', { $match: { x: 'B' } }, walk('$x')), collation: CASE }, { a: ['A', 'b', 'B'] }, reached],
  ],
  'the local path of a join may contain the position of an element': [
    [insert({ _id: 1, a: [[7, 2], { b: [3] }] }, { _id: 2, a: { 0: 3 } }, { _id: 3, a: [{ 0: 3 }] })],
    [read('c', joined('a.0')), { 1: [2], 2: [3], 3: [] }, reached],
    [read('c', joined('a.0.1')), { 1: [2], 2: [], 3: [] }, reached],
    [read('c', joined('a.1.b')), { 1: [3], 2: [], 3: [] }, reached],
    [read('c', joined('a.00')), { 1: [], 2: [], 3: [] }, reached],
  ],
  'statistics stages report on the collection that the pipeline reads': [
    [insert({ _id: 1 })],
    [index({ a: 1 })],
    [{ insert: 'd', documents: [{ _id: 1 }] }],
    [
      read('d', { $unionWith: { coll: 'c', pipeline: [{ $indexStats: {} }] } }, { $sort: { name: 1 } }),
      [undefined, '_id_', 'a'],
      (reply) => batch(reply).map(({ name }) => name),
    ],
    [read('c', { $indexStats: { a: 1 } }), 28803],
    [read('c', { $collStats: 1 }), 5447000],
    [read('c', { $collStats: { nope: {} } }), 40415],
  ],
  "the first stage must suit the command's target": [
    [insert({ _id: 1 })],
    [{ ...read('c', { $match: {} }), aggregate: 1 }, 73],
    [{ ...read('c'), aggregate: 1 }, 73],
    [{ ...read('c', { $indexStats: {} }), aggregate: 1 }, 73],
    [{ ...read('c', { $currentOp: {} }), aggregate: 1 }, 73],
    [read('c', { $documents: [] }), 73],
    [read('c', { $unionWith: { coll: 'c', pipeline: [{ $changeStream: {} }] } }), 31441],
    [read('c', { $lookup: { from: 'c', as: 'x', pipeline: [{ $changeStream: {} }] } }), 51047],
  ],
  'server variables': [
    [insert({ _id: 1 })],
    [read('c', { $project: { t: { $type: '$$CLUSTER_TIME' } } }), [{ _id: 1, t: 'timestamp' }], batch],
    [{ ...read('c', { $group: { _id: '$$JS_SCOPE' } }), explain: true }],
    [read('c', { $group: { _id: '$$IS_MR' } }), 51144],
    [read('c', { $set: { a: '$$Unknown' } }), 17276],
  ],
  'all matches of a pattern together are limited to 64 MB': [
    [insert({ _id: 1, s: 'a'.repeat(60_000) })],
    [read('c', { $set: { s: { $regexFindAll: { input: '$s', regex: '()'.repeat(300) } } } }), 51151],
  ],
  'pipelines that write are explained without running': [
    [insert({ _id: 1 })],
    [
      { explain: read('c', { $merge: 'd' }), verbosity: 'queryPlanner' },
      { on: '_id', whenMatched: 'merge', whenNotMatched: 'insert' },
      ({ stages }) => {
        const { into: _, ...shown } = stages[1].$merge;
        return shown;
      },
    ],
    [
      { explain: read('c', { $out: 'd' }), verbosity: 'queryPlanner' },
      'd',
      ({ stages }) => stages[1].$out.coll,
    ],
    [
      { explain: read('c', { $out: 'd' }), verbosity: 'executionStats' },
      1,
      ({ stages }) => stages[0].$cursor.executionStats.nReturned,
    ],
    [{ explain: read('nowhere', { $merge: 'd' }), verbosity: 'allPlansExecution' }],
    [
      {
        explain: read('c', { $set: { a: { $divide: [1, '$z'] } } }, { $out: 5 }),
        verbosity: 'executionStats',
      },
      16990,
    ],
    [
      { explain: read('c', { $set: { a: { $toInt: 'x' } } }, { $out: 'd' }), verbosity: 'executionStats' },
      241,
    ],
    [{ find: 'd' }, [], batch],
  ],
  'change streams are explained without being opened': [
    [
      { explain: read('c', { $changeStream: {} }, { $match: { a: 1 } }), verbosity: 'executionStats' },
      ['$changeStream', '$match'],
      ({ stages }) => stages.flatMap(Object.keys),
    ],
    [{ ...read('c', { $changeStream: {} }), explain: true }],
    [{ explain: read('c', { $changeStream: {} }, { $sort: { a: 1 } }), verbosity: 'queryPlanner' }, 20],
  ],
  'a command of another database is not explained': [
    [{ explain: { find: 'c', $db: 'elsewhere' } }, 73],
    [{ explain: { ...read('c'), $db: 'elsewhere' } }, 73],
  ],
  'in $merge, new can only be the new document': [
    [insert({ _id: 1, a: 1 })],
    [{ insert: 'd', documents: [{ _id: 1 }] }],
    [
      read('c', {
        $merge: { into: 'd', let: { new: '$$ROOT' }, whenMatched: [{ $set: { b: '$$new.a' } }] },
      }),
    ],
    [{ find: 'd' }, [{ _id: 1, b: 1 }], batch],
    [read('c', { $merge: { into: 'd', let: { new: '$a' }, whenMatched: [{ $set: { b: 1 } }] } }), 51273],
  ],
  'nothing is written to the databases of the server': [
    [insert({ _id: 1 })],
    [read('c', { $out: { db: 'admin', coll: 'd' } }), 31321],
    [read('c', { $merge: { into: { db: 'admin', coll: 'd' } } }), 31320],
  ],
  'a window of an index cannot be read in natural order': [
    [insert({ _id: 1 })],
    [{ find: 'c', min: { _id: 0 }, hint: { $natural: 1 } }, 291],
    [{ find: 'c', min: { _id: 0 } }, 51173],
  ],
  'a document for which the validator fails is invalid': [
    [{ create: 'c', validator: { $expr: { $gt: [{ $divide: [1, '$a'] }, 0] } } }],
    [insert({ _id: 1, a: 0 }), 121],
    [insert({ _id: 1, a: 5 })],
    [change({ $set: { a: 0 } }), 121],
    [{ find: 'c' }, [{ _id: 1, a: 5 }], batch],
  ],
  'members of references can be left out': [
    [insert({ _id: 1, link: { $ref: 'd', $id: 5, $db: 'e' } })],
    [read('c', { $project: { link: { $ref: 0 } } }), [{ _id: 1, link: { $id: 5, $db: 'e' } }], batch],
    [read('c', { $project: { link: { $id: 0 } } }), [{ _id: 1, link: { $ref: 'd', $db: 'e' } }], batch],
    [read('c', { $project: { $id: 0 } }), 16410],
    [read('c', { $project: { link: { $abs: 0 } } })],
  ],
  '$merge cannot store fields that start with a dollar sign': [
    [insert({ _id: 1, $a: 1 }, { _id: 2, b: 1 })],
    [{ insert: 'd', documents: [{ _id: 1 }, { _id: 2 }] }],
    [read('c', { $merge: { into: 'd', whenMatched: 'replace' } }), 52],
    [read('c', { $merge: { into: 'd', whenMatched: 'merge', whenNotMatched: 'fail' } }), 52],
    [{ find: 'd' }, [{ _id: 1 }, { _id: 2, b: 1 }], batch],
    [read('c', { $merge: { into: 'e', whenMatched: 'fail' } })],
    [{ find: 'e' }, 2, (reply) => batch(reply).length],
  ],
  'a failing merge continues only to the end of its 16 MB batch': [
    ...Array.from({ length: 5 }, (_, i): Step => [insert({ _id: i, s: HUGE.slice(0, 7_000_000) })]),
    [{ insert: 'd', documents: [{ _id: 1 }, { _id: 2 }, { _id: 3 }] }],
    [read('c', { $sort: { _id: 1 } }, { $merge: { into: 'd', whenNotMatched: 'fail' } }), 13113],
    [{ find: 'd', filter: { s: { $exists: true } }, projection: { _id: 1 } }, [{ _id: 1 }], batch],
  ],
  'a transaction cannot write to a capped collection': [
    [{ create: 'c', capped: true, size: 4096 }],
    [insert({ _id: 1 })],
    [begin(insert({ _id: 2 })), 263],
    [next({ find: 'c' }), 251],
    [begin({ find: 'c' }), [{ _id: 1 }], batch],
    [next({ findAndModify: 'c', query: {}, remove: true }), 263],
    [begin({ find: 'c', tailable: true }), 72],
  ],
  'a capped collection keeps the newest documents that fit, however they are written': [
    [{ create: 'c', capped: true, size: 1000 }],
    [insert(...Array.from({ length: 8 }, (_, _id) => ({ _id, s: HUGE.slice(0, 100) })))],
    [{ count: 'c' }, 8, ({ n }) => n],
    [insert({ _id: 8, s: HUGE.slice(0, 100) }, { _id: 9, s: '' })],
    [{ find: 'c', limit: 1, projection: { _id: 1 } }, [{ _id: 1 }], batch],
    [{ update: 'c', updates: [{ q: { _id: 10 }, u: { s: HUGE.slice(0, 500) }, upsert: true }] }],
    [
      { find: 'c', projection: { s: 0 } },
      [{ _id: 6 }, { _id: 7 }, { _id: 8 }, { _id: 9 }, { _id: 10 }],
      batch,
    ],
    [insert({ _id: 11, s: HUGE.slice(0, 5000) })],
    [{ find: 'c', projection: { _id: 1 } }, [{ _id: 11 }], batch],
  ],
  'skip and limit move before stages that do not change the number of documents': [
    [insert({ _id: 1 }, { _id: 2 }, { _id: 3 })],
    [
      { explain: read('c', { $project: { a: 1 } }, { $limit: 2 }), verbosity: 'executionStats' },
      2,
      (reply) => reply['stages'][0].$cursor.executionStats.totalDocsExamined,
    ],
    [read('c', { $set: { a: 1 } }, { $skip: 1 }, { $limit: 1 }), [{ _id: 2, a: 1 }], batch],
  ],
  'options of $collStats are documents': [
    [insert({ _id: 1 })],
    [read('c', { $collStats: { count: 1 } }), 14],
    [read('c', { $collStats: { count: {} } }), 1, (reply) => first(reply)['count']],
  ],
  "stage errors contain the stage's name": [
    ...['$project', '$set', '$addFields', '$unset'].map(
      (name): Step => [
        read('c', { [name]: name === '$unset' ? 'a.' : { 'a.': 1 } }),
        `Invalid ${name} :: caused by ::`,
        ({ message }) => String(message).slice(0, `Invalid ${name} :: caused by ::`.length),
      ],
    ),
  ],
  'a projection with exclusions computes nothing': [
    [read('c', { $project: { a: 0, b: { $add: [1] } } }), 31252],
    [read('c', { $project: { a: 0, b: 'text' } }), 31310],
  ],
  'field names that are valid in a filter but not in a pipeline are rejected if only parts of documents are read':
    [
      [insert({ _id: 1 })],
      [read('c', { $limit: 9 }, { $match: { 'a.$c': 4 } }, { $project: { b: '$d' } }), 16410],
      [read('c', { $limit: 9 }, { $match: { 'a.$c': 4 } })],
    ],
  'strength 4 distinguishes hiragana from katakana, strength 5 every character': [
    [insert({ _id: 1, s: 'ア' }, { _id: 2, s: 'あ' }, { _id: 3, s: 'い' })],
    [
      {
        ...read('c', { $sort: { s: 1 } }, { $project: { _id: 1 } }),
        collation: { locale: 'ja', strength: 4 },
      },
      [{ _id: 2 }, { _id: 1 }, { _id: 3 }],
      batch,
    ],
    [{ find: 'c', filter: { s: 'ア' }, collation: { locale: 'ja' } }, 2, (reply) => batch(reply).length],
    [
      { find: 'c', filter: { s: 'ア' }, collation: { locale: 'ja', strength: 5 } },
      1,
      (reply) => batch(reply).length,
    ],
  ],
  'arguments of aggregations that are not accepted': [
    [{ aggregate: 'c', pipeline: [], explain: true, writeConcern: { w: 1 } }, 72],
    [{ aggregate: 'c', pipeline: [{ $sample: { size: 0 } }], cursor: {} }, 28747],
  ],
};

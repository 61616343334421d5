import type { Fields } from '../options/read-fields.js';
import { CHANGED, COLLECTION_OPTIONS } from './collection-fields.js';

/** The session fields of a request, which are checked before everything else. */
export const SESSION = {
  lsid: 'object',
  txnNumber: 'exact long',
  autocommit: 'bool',
  startTransaction: 'bool',
  stmtId: 'int',
} as const;

/** Fields that every command may have: sessions, concerns, versions, and those that routers add. */
export const GENERIC: Fields = {
  $db: 'string',
  ...SESSION,
  maxTimeMS: 'any',
  readConcern: { type: 'object', mismatch: 'FailedToParse' },
  writeConcern: { type: 'object', mismatch: 'TypeMismatch' },
  comment: 'any',
  apiVersion: 'string',
  apiStrict: 'bool',
  apiDeprecationErrors: 'bool',
  $readPreference: 'object',
  $clusterTime: 'object',
  $queryOptions: 'object',
  $audit: 'any',
  $client: 'any',
  $configServerState: 'any',
  $configTime: 'any',
  $topologyTime: 'any',
  $oplogQueryData: 'any',
  $replData: 'any',
  $gleStats: 'any',
  allowImplicitCollectionCreation: 'any',
  clientOperationKey: 'any',
  coordinator: 'any',
  databaseVersion: 'any',
  shardVersion: 'any',
  maxTimeMSOpOnly: 'any',
  mayBypassWriteBlocking: 'any',
  operationTime: 'any',
  tracking_info: 'any',
  readOnly: 'any',
};

const unstable = <T extends string>(type: T): { type: T; unstable: true } => ({ type, unstable: true });
const count = { type: 'long', min: 0 } as const;

const CURSOR = { cursor: 'object' } as const;
const WRITES = {
  ordered: 'bool',
  bypassDocumentValidation: 'boolean or number',
  stmtIds: 'array',
  let: 'object',
  runtimeConstants: 'object',
  collectionUUID: 'uuid',
  isTimeseriesNamespace: 'bool',
  encryptionInformation: 'object',
} as const;

/** The fields of each command except its name, according to MongoDB's interface definitions. */
export const FIELDS = {
  aggregate: {
    pipeline: { type: 'objects', required: true },
    explain: unstable('strict bool'),
    allowDiskUse: 'strict bool',
    cursor: 'object',
    bypassDocumentValidation: 'boolean or number',
    collation: 'object',
    hint: 'hint',
    let: 'object',
    needsMerge: 'bool',
    fromMongos: 'bool',
    exchange: unstable('object'),
    runtimeConstants: unstable('object'),
    isMapReduceCommand: unstable('bool'),
    use44SortKeys: unstable('bool'),
    useNewUpsert: unstable('bool'),
    $_requestReshardingResumeToken: unstable('bool'),
    collectionUUID: unstable('uuid'),
  },
  collMod: {
    index: 'object',
    ...Object.fromEntries(CHANGED),
    recordPreImages: 'boolean or number',
    expireAfterSeconds: 'string or long',
    cappedSize: count,
    cappedMax: 'long',
    dryRun: 'boolean or number',
  },
  count: {
    query: 'object',
    limit: 'long',
    skip: count,
    hint: 'hint',
    collation: 'object',
    fields: 'any',
    collectionUUID: 'uuid',
  },
  create: COLLECTION_OPTIONS,
  createIndexes: {
    indexes: { type: 'objects', required: true },
    v: 'int',
    ignoreUnknownIndexOptions: 'boolean or number',
    commitQuorum: 'string or long',
    returnOnStart: 'bool',
    isTimeseriesNamespace: 'bool',
    collectionUUID: 'uuid',
  },
  bulkWrite: {
    ops: 'objects',
    nsInfo: 'objects',
    ordered: 'bool',
    errorsOnly: 'bool',
    atomic: 'bool',
    bypassDocumentValidation: 'boolean or number',
    let: 'object',
    stmtIds: 'array',
    cursor: 'object',
  },
  delete: { deletes: 'objects', ...WRITES },
  distinct: {
    key: { type: 'string', required: true },
    query: 'object',
    collation: 'object',
    hint: 'hint',
    collectionUUID: 'uuid',
  },
  drop: { collectionUUID: 'uuid' },
  dropIndexes: {
    index: { type: 'any', required: true },
    isTimeseriesNamespace: 'bool',
    collectionUUID: 'uuid',
  },
  explain: { verbosity: { type: 'string', oneOf: ['queryPlanner', 'executionStats', 'allPlansExecution'] } },
  find: {
    filter: 'object',
    projection: 'object',
    sort: 'object',
    hint: 'hint',
    collation: 'object',
    skip: count,
    limit: count,
    batchSize: count,
    ntoreturn: { ...count, unstable: true },
    singleBatch: 'strict bool',
    allowDiskUse: 'strict bool',
    min: unstable('object'),
    max: unstable('object'),
    returnKey: unstable('strict bool'),
    showRecordId: unstable('strict bool'),
    tailable: unstable('strict bool'),
    oplogReplay: unstable('bool'),
    noCursorTimeout: unstable('strict bool'),
    awaitData: unstable('strict bool'),
    allowPartialResults: 'strict bool',
    let: 'object',
    options: unstable('object'),
    term: unstable('long'),
    readOnce: unstable('strict bool'),
    allowSpeculativeMajorityRead: unstable('strict bool'),
    $_requestResumeToken: unstable('strict bool'),
    $_resumeAfter: unstable('object'),
    _use44SortKeys: unstable('bool'),
    runtimeConstants: 'object',
    collectionUUID: 'uuid',
  },
  findAndModify: {
    query: 'object',
    fields: 'object',
    sort: 'object',
    hint: 'hint',
    remove: 'boolean or number',
    update: 'any',
    upsert: 'boolean or number',
    new: 'boolean or number',
    collation: 'object',
    arrayFilters: 'objects',
    let: 'object',
    bypassDocumentValidation: 'boolean or number',
    runtimeConstants: 'object',
    collectionUUID: 'uuid',
    encryptionInformation: 'object',
  },
  getMore: {
    collection: { type: 'string', required: true },
    batchSize: count,
    term: 'long',
    lastKnownCommittedOpTime: 'object',
  },
  insert: { documents: 'objects', ...WRITES },
  killCursors: { cursors: { type: 'array', required: true } },
  listCollections: {
    ...CURSOR,
    filter: 'object',
    nameOnly: 'boolean or number',
    authorizedCollections: 'boolean or number',
    includePendingDrops: unstable('boolean or number'),
  },
  listDatabases: {
    filter: 'object',
    nameOnly: 'boolean or number',
    authorizedDatabases: 'boolean or number',
  },
  listIndexes: { ...CURSOR, includeBuildUUIDs: unstable('bool'), includeIndexBuildInfo: unstable('bool') },
  renameCollection: {
    to: { type: 'string', required: true },
    dropTarget: 'boolean or number',
    stayTemp: 'boolean or number',
    collectionUUID: 'uuid',
  },
  update: { updates: 'objects', ...WRITES },
} as const satisfies Readonly<Record<string, Fields>>;

/** The options of updates besides the change itself, in either command. */
const UPDATE_OPTIONS = {
  arrayFilters: 'objects',
  hint: 'hint',
  multi: 'bool',
  upsert: 'bool',
  upsertSupplied: 'bool',
  collation: 'object',
} as const;

/** The fields of one statement of an update. */
export const UPDATE_STATEMENT: Fields = {
  q: { type: 'object', required: true },
  u: { type: 'any', required: true },
  c: 'object',
  ...UPDATE_OPTIONS,
  sampleId: 'uuid',
};

/** The fields of one statement of a bulk write, by the name of the first. */
export const BULK_STATEMENTS: Readonly<Record<'insert' | 'update' | 'delete', Fields>> = {
  insert: { insert: { type: 'int', required: true, min: 0 }, document: { type: 'object', required: true } },
  update: {
    update: { type: 'int', required: true, min: 0 },
    filter: { type: 'object', required: true },
    updateMods: { type: 'any', required: true },
    constants: 'object',
    ...UPDATE_OPTIONS,
  },
  delete: {
    delete: { type: 'int', required: true, min: 0 },
    filter: { type: 'object', required: true },
    hint: 'hint',
    multi: 'bool',
    collation: 'object',
  },
};

/** The fields of one statement of a delete. */
export const DELETE_STATEMENT: Fields = {
  q: { type: 'object', required: true },
  limit: { type: 'any', required: true },
  hint: 'hint',
  collation: 'object',
  sampleId: 'uuid',
};

import type { Document } from 'bson';
import { fail } from '../errors.js';
import type { Fields } from '../options/read-fields.js';
import { refuseView } from './collections.js';
import type { Declaration } from './declaration.js';
import { type Command, checkName, collectionName, type Operation, read, splitName } from './operation.js';
import { collectionStats } from './stats.js';

/** A command that MongoDB has but the engine does not: its collection name is checked, then it is rejected. */
const missing =
  (reason: string, namesAnother?: string): Command =>
  (operation) => {
    const { body, db } = operation;
    collectionName(operation);
    if (namesAnother !== undefined) checkName(db, String(body[namesAnother] ?? ''));
    return fail('CommandNotSupported', `${operation.command} is not supported by this engine: ${reason}`);
  };

/** The same for a command that names no collection. */
const missingOfServer =
  (reason: string): Command =>
  ({ command }) =>
    fail('CommandNotSupported', `${command} is not supported by this engine: ${reason}`);

/** Always gives the same response, once the name has been checked. */
const always =
  (answer: Document): Command =>
  (operation) => {
    collectionName(operation);
    return { ...answer };
  };

/** The size of a collection; estimated, as in `collStats`. */
const dataSize: Command = (operation) => {
  const { body } = operation;
  const [db, name] = splitName(body['dataSize']);
  checkName(db, name);
  if (db !== operation.db) fail('Unauthorized', `dataSize of ${db} is asked for in ${operation.db}`);
  if (body['min'] !== undefined || body['max'] !== undefined)
    fail('CommandNotSupported', 'dataSize of a range is not supported by this engine');
  const started = performance.now();
  return read(operation, (reader) => {
    const meta = reader.catalog.get(db, name);
    if (meta !== undefined) refuseView(meta);
    const { size = 0, count = 0 } = meta === undefined ? {} : collectionStats(reader, meta);
    return { estimate: true, size, numObjects: count, millis: Math.round(performance.now() - started) };
  });
};

/** The level of the profiler, which is always off. */
const profile: Command = ({ body }: Operation) => {
  if (body['profile'] > 0)
    fail('CommandNotSupported', 'profile is not supported by this engine: there is no profiler');
  return { was: 0, slowms: 100, sampleRate: 1 };
};

const NO_CACHE = 'plans are not cached';
const NO_USERS = 'it has no users of its own';
const NO_CODE = 'it runs no JavaScript';
const SHAPE: Fields = { query: 'object', projection: 'object', sort: 'object', collation: 'object' };

const user = { run: missingOfServer(NO_USERS) };
const ofShards = { run: missingOfServer('it is no part of a sharded cluster'), admin: true } as const;

/** Commands for storage, monitoring and security: answered if the response is certain, otherwise rejected by name. */
export const UPKEEP_COMMANDS: Readonly<Record<string, Declaration>> = {
  applyOps: { run: missingOfServer('it replays no log of other servers') },
  cleanupOrphaned: ofShards,
  cloneCollectionAsCapped: {
    run: missing('collections stay as they are made', 'toCollection'),
    views: 'refused',
  },
  compact: { run: missing('space is used again without it'), views: 'refused' },
  convertToCapped: { run: missing('collections stay as they are made'), views: 'refused' },
  coordinateCommitTransaction: ofShards,
  createRole: user,
  createUser: user,
  dataSize: {
    run: dataSize,
    aliases: ['datasize'],
    fields: { keyPattern: 'object', min: 'object', max: 'object', estimate: 'boolean or number' },
  },
  dbHash: { run: missingOfServer('copies are compared by reading them') },
  dropRole: user,
  dropUser: user,
  features: { run: () => ({}) },
  filemd5: { run: missingOfServer('files are read by their chunks') },
  getDefaultRWConcern: {
    run: () => ({
      defaultReadConcern: { level: 'local' },
      defaultWriteConcern: { w: 'majority', wtimeout: 0 },
      defaultReadConcernSource: 'implicit',
      defaultWriteConcernSource: 'implicit',
    }),
    admin: true,
    fields: { inMemory: 'bool' },
  },
  mapReduce: { run: missing(NO_CODE), aliases: ['mapreduce'] },
  planCacheClear: { run: always({}), views: 'refused', fields: SHAPE },
  planCacheClearFilters: { run: always({}), views: 'refused', fields: SHAPE },
  planCacheListFilters: { run: always({ filters: [] }), views: 'refused', fields: {} },
  planCacheSetFilter: { run: missing(NO_CACHE), views: 'refused' },
  prepareTransaction: ofShards,
  profile: { run: profile, fields: { slowms: 'long', sampleRate: 'double', filter: 'any' } },
  // MongoDB also runs it only on servers outside a replica set.
  reIndex: {
    run: (operation) => {
      collectionName(operation);
      return fail('IllegalOperation', 'reIndex is only allowed on a standalone server');
    },
    views: 'refused',
  },
  rolesInfo: { run: () => ({ roles: [] }) },
  top: { run: missingOfServer('use is not counted'), admin: true },
  usersInfo: { run: () => ({ users: [] }) },
};

import { compileFields } from '../options/read-fields.js';
import { abortTransaction } from './abort-transaction.js';
import { aggregate } from './aggregate.js';
import { backup } from './backup.js';
import { bulkWrite } from './bulk-write.js';
import { collMod } from './coll-mod.js';
import { commitTransaction } from './commit-transaction.js';
import { count } from './count.js';
import { create } from './create.js';
import { createIndexes } from './create-indexes.js';
import type { Declaration, KnownCommand } from './declaration.js';
import { remove } from './delete.js';
import { distinct } from './distinct.js';
import { drop } from './drop.js';
import { dropDatabase } from './drop-database.js';
import { dropIndexes } from './drop-indexes.js';
import { explain } from './explain.js';
import { FIELDS, GENERIC } from './fields.js';
import { find } from './find.js';
import { findAndModify } from './find-and-modify.js';
import { getMore } from './get-more.js';
import { hello } from './hello.js';
import { insert } from './insert.js';
import { killCursors } from './kill-cursors.js';
import { listCollections } from './list-collections.js';
import { listDatabases } from './list-databases.js';
import { listIndexes } from './list-indexes.js';
import type { Command } from './operation.js';
import { renameCollection } from './rename-collection.js';
import { saslContinue, saslStart } from './sasl.js';
import { SERVER_COMMANDS } from './server-info.js';
import { SESSION_COMMANDS } from './session-commands.js';
import { collStats, dbStats } from './stats.js';
import { update } from './update.js';
import { UPKEEP_COMMANDS } from './upkeep-commands.js';
import { validate } from './validate.js';

const WRITE = {
  transaction: 'yes',
  retryable: true,
  views: 'refused',
  writeConcern: true,
  stable: true,
} as const;

const STATEMENTS = { ...WRITE, onSystem: 50791, silent: true } as const;
const READ = { transaction: 'yes', readConcern: true } as const;
const CATALOG = { writeConcern: true, stable: true } as const;
const MAKING = { transaction: 'yes', localOnly: true } as const;
const END = { transaction: 'ends it', writeConcern: true, admin: true, stable: true } as const;

/** Every command by its name in MongoDB's spelling. */
export const DECLARATIONS: Readonly<Record<string, Declaration>> = {
  ...SERVER_COMMANDS,
  ...SESSION_COMMANDS,
  ...UPKEEP_COMMANDS,
  abortTransaction: { run: abortTransaction, ...END, fields: { recoveryToken: 'object' } },
  aggregate: { run: aggregate, ...READ, writeConcern: true, stable: true, fields: FIELDS.aggregate },
  backup: { run: backup, admin: true, fields: {} },
  bulkWrite: {
    run: bulkWrite,
    transaction: 'yes',
    retryable: true,
    writeConcern: true,
    admin: true,
    stable: true,
    fields: FIELDS.bulkWrite,
  },
  collMod: { run: collMod, ...CATALOG, fields: FIELDS.collMod },
  collStats: { run: collStats, aliases: ['collstats'], views: 'refused' },
  commitTransaction: { run: commitTransaction, ...END, fields: { recoveryToken: 'object' } },
  count: { run: count, readConcern: true, byUuid: true, fields: FIELDS.count },
  create: { run: create, ...CATALOG, ...MAKING, fields: FIELDS.create },
  createIndexes: {
    run: createIndexes,
    ...CATALOG,
    ...MAKING,
    views: 'refused',
    fields: FIELDS.createIndexes,
  },
  dbStats: { run: dbStats, aliases: ['dbstats'] },
  delete: { run: remove, ...STATEMENTS, fields: FIELDS.delete },
  distinct: { run: distinct, ...READ, byUuid: true, fields: FIELDS.distinct },
  drop: { run: drop, ...CATALOG, fields: FIELDS.drop },
  dropDatabase: { run: dropDatabase, ...CATALOG, fields: {} },
  dropIndexes: {
    run: dropIndexes,
    ...CATALOG,
    aliases: ['deleteIndexes'],
    views: 'refused',
    fields: FIELDS.dropIndexes,
  },
  explain: { run: explain, takes: 'object', readConcern: true, stable: true, fields: FIELDS.explain },
  find: { run: find, ...READ, stable: true, byUuid: true, fields: FIELDS.find },
  findAndModify: {
    run: findAndModify,
    ...WRITE,
    onSystem: 50781,
    aliases: ['findandmodify'],
    fields: FIELDS.findAndModify,
  },
  getMore: {
    run: getMore,
    takes: 'exact long',
    transaction: 'not first',
    stable: true,
    fields: FIELDS.getMore,
  },
  hello: { run: hello, aliases: ['ismaster', 'isMaster'], stable: true, open: true },
  insert: { run: insert, ...STATEMENTS, fields: FIELDS.insert },
  killCursors: { run: killCursors, transaction: 'not first', stable: true, fields: FIELDS.killCursors },
  listCollections: { run: listCollections, stable: true, fields: FIELDS.listCollections },
  listCommands: { run: (operation) => listCommands(operation) },
  listDatabases: { run: listDatabases, stable: true, admin: true, fields: FIELDS.listDatabases },
  listIndexes: {
    run: listIndexes,
    stable: true,
    views: 'refused',
    byUuid: true,
    fields: FIELDS.listIndexes,
  },
  renameCollection: {
    run: renameCollection,
    writeConcern: true,
    admin: true,
    fields: FIELDS.renameCollection,
  },
  saslContinue: { run: saslContinue, stable: true, open: true },
  saslStart: { run: saslStart, stable: true, open: true },
  update: { run: update, ...STATEMENTS, fields: FIELDS.update },
  validate: { run: validate, views: 'refused' },
};

/** The help text in `listCommands` for each command. */
const listCommands: Command = () => ({
  commands: Object.fromEntries(
    Object.entries(DECLARATIONS).map(([name, { admin, stable, open }]) => [
      name,
      {
        help: '',
        apiVersions: stable === true ? ['1'] : [],
        deprecatedApiVersions: [],
        requiresAuth: open !== true,
        adminOnly: admin === true,
      },
    ]),
  ),
});

/** Every command by each of its names. */
export const COMMANDS: ReadonlyMap<string, KnownCommand> = new Map(
  Object.entries(DECLARATIONS).flatMap(([name, declaration]) => {
    const { takes = 'any', fields, aliases = [] } = declaration;
    return [name, ...aliases].map((alias): [string, KnownCommand] => [
      alias,
      {
        ...declaration,
        name,
        read: compileFields(
          { [alias]: takes, ...fields },
          { context: name, shared: GENERIC, lenient: fields === undefined },
        ),
      },
    ]);
  }),
);

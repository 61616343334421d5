import { abortTransaction } from './abort-transaction.js';
import { aggregate } from './aggregate.js';
import { collMod } from './coll-mod.js';
import { commitTransaction } from './commit-transaction.js';
import { count } from './count.js';
import { create } from './create.js';
import { createIndexes } from './create-indexes.js';
import { remove } from './delete.js';
import { distinct } from './distinct.js';
import { drop } from './drop.js';
import { dropDatabase } from './drop-database.js';
import { dropIndexes } from './drop-indexes.js';
import { explain } from './explain.js';
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
import { SERVER_COMMANDS } from './server-info.js';
import { SESSION_COMMANDS } from './session-commands.js';
import { collStats, dbStats } from './stats.js';
import { update } from './update.js';
import { validate } from './validate.js';

/** Every command by the name that a client sends, in MongoDB's spellings. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  ...SERVER_COMMANDS,
  ...SESSION_COMMANDS,
  abortTransaction,
  aggregate,
  collMod,
  collStats,
  collstats: collStats,
  commitTransaction,
  count,
  create,
  createIndexes,
  dbStats,
  dbstats: dbStats,
  delete: remove,
  distinct,
  drop,
  dropDatabase,
  dropIndexes,
  deleteIndexes: dropIndexes,
  explain,
  find,
  findAndModify,
  findandmodify: findAndModify,
  getMore,
  hello,
  ismaster: hello,
  isMaster: hello,
  insert,
  killCursors,
  listCollections,
  listDatabases,
  listIndexes,
  renameCollection,
  update,
  validate,
};

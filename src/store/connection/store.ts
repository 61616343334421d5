import type { ClientSession, Db, MongoClient, WriteConcernSettings } from 'mongodb';
import type { Budget } from '../../limits/budget.js';
import type { ReadForm } from '../../pipeline/types.js';
import type { Engine } from './engine.js';
import type { Moves } from './moves.js';
import type { Totals } from './totals.js';

export interface Store {
  readonly client: MongoClient;
  /** Answered by the primary: for writers, access and the answer to a write, which must not work with what was. */
  readonly db: Db;
  /** The same database, read as the address prefers (`readPreference`): for lists. */
  readonly lists: Db;
  /** Where adopted collections are. */
  readonly content: Content;
  /** Reads see at least what the session knows of. */
  readonly session?: ClientSession | undefined;
  /** What the request that reads may cost. */
  readonly budget?: Budget | undefined;
  readonly totals: Totals;
  /** What this process writes. */
  readonly moves: Moves;
  readonly maxTimeMS: number;
  /** Ids that a filter or a sort through a relation may find; above, it is done by `$lookup`. */
  readonly maxIds: number;
  /** The number of entries in a collection is metadata and exact: an unfiltered count costs nothing. */
  readonly exactMetadata: boolean;
  readonly engine: Engine;
  /** One command may write to several collections (`bulkWrite`): MongoDB takes it from 8.0 on, the embedded engine always. */
  readonly writesAcross: boolean;
  /** Such a command may be a commit of its own (`atomic`), which the embedded engine offers. */
  readonly writesAtOnce: boolean;
  /** How this server is asked for a read, until a read turns out too large for that. */
  readonly form: ReadForm;
  readonly writeLimits: WriteLimits;
  /** What has to end before the connections are closed, for a while. */
  readonly beforeClose: (() => Promise<void>)[];
  close(): Promise<void>;
}

/** The database of collections that other programs own. */
export interface Content {
  readonly client: MongoClient;
  readonly name: string;
  /** Another one than that of Mangrove's own collections. */
  readonly apart: boolean;
  /** As of the store. */
  readonly exactMetadata: boolean;
  readonly writeConcern: WriteConcernSettings;
  /** Content types whose changes a change stream tells, so that their writes need not. */
  readonly watched: Set<string>;
}

/** How long writes may take, in milliseconds. */
export interface WriteLimits {
  /** A write that a failover interrupts is tried again until then. */
  readonly retryMS: number;
  /** For one commit on the server. */
  readonly maxCommitTimeMS: number;
}

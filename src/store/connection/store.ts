import type { Db, MongoClient, WriteConcernSettings } from 'mongodb';
import type { ReadForm } from '../../pipeline/types.js';
import type { Engine } from './engine.js';
import type { Totals } from './totals.js';

export interface Store {
  readonly client: MongoClient;
  /**
   * Reads from the primary: for writes, access control and the response to a write, which must not see stale
   * data.
   */
  readonly db: Db;
  /** The same database with the read preference of the URI: for lists. */
  readonly lists: Db;
  /** The database of adopted collections. */
  readonly content: Content;
  readonly totals: Totals;
  readonly maxTimeMS: number;
  /**
   * Maximum number of ids that a filter or sort through a relation may resolve; beyond it, `$lookup` is used.
   */
  readonly maxIds: number;
  /**
   * Whether a collection's entry count in its metadata is exact, so that an unfiltered count costs nothing.
   */
  readonly exactMetadata: boolean;
  readonly engine: Engine;
  /**
   * Whether one command may write to several collections (`bulkWrite`): MongoDB 8.0 or newer, and the
   * embedded engine.
   */
  readonly writesAcross: boolean;
  /** Whether such a command can be an atomic commit (`atomic`): the embedded engine. */
  readonly writesAtOnce: boolean;
  /**
   * Whether a server may refuse a `$lookup` because the collection is sharded: a sharded cluster before MongoDB
   * 5.1.
   */
  readonly refusesJoins: boolean;
  /** The form of reads for this server; a read that turns out too large for it uses another form. */
  readonly form: ReadForm;
  readonly writeLimits: WriteLimits;
  /** Run before the connections are closed, within a time limit. */
  readonly beforeClose: (() => Promise<void>)[];
  close(): Promise<void>;
}

/** The database of collections that other programs own. */
export interface Content {
  readonly client: MongoClient;
  readonly name: string;
  /** Whether it is a different database from that of Mangrove's own collections. */
  readonly apart: boolean;
  /** The same as in `Store`, for this deployment. */
  readonly exactMetadata: boolean;
  readonly writeConcern: WriteConcernSettings;
  /** Uids of the content types whose changes a change stream reports, so that their writes need not. */
  readonly watched: Set<string>;
}

/** Time limits of writes, in milliseconds. */
export interface WriteLimits {
  /** How long a write that a failover interrupted is retried. */
  readonly retryMS: number;
  /** Time limit of one commit on the server. */
  readonly maxCommitTimeMS: number;
  /** On a server without transactions: a writer that shows no sign of life for so long is taken for dead; 3000 if absent. */
  readonly leaseMS?: number;
}

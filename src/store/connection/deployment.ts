import type { Db, Document } from 'mongodb';

export type Topology = 'standalone' | 'replica set' | 'sharded cluster';

/** What the server can do for writes: real transactions, or single-document atomicity only. */
export type Deployment = 'transactions' | 'standalone';

/**
 * From the answer to `hello`. A member of a replica set names its set, or says that it has not heard of its set yet
 * (`isreplicaset`); a `mongos` says `isdbgrid`; anything else is a standalone server.
 */
export function topologyOf(hello: Document): Topology {
  if (hello['msg'] === 'isdbgrid') return 'sharded cluster';
  return typeof hello['setName'] === 'string' || hello['isreplicaset'] === true
    ? 'replica set'
    : 'standalone';
}

/**
 * Asks the server what it is. On a standalone server a write is an ordered sequence with a journal
 * (docs/decisions/002-optimistic-writes-and-a-journal.md).
 */
export async function detectDeployment(db: Db): Promise<Deployment> {
  return topologyOf(await db.command({ hello: 1 })) === 'standalone' ? 'standalone' : 'transactions';
}

/** The database that an address names; null: none. */
export function databaseIn(uri: string): string | null {
  const named = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(uri)?.[1];
  return named ? decodeURIComponent(named) : null;
}

import type { Db, Document } from 'mongodb';

export type Topology = 'standalone' | 'replica set' | 'sharded cluster';

/** What the server offers for writes: transactions, or only single-document atomicity. */
export type Deployment = 'transactions' | 'standalone';

/**
 * Takes the response to `hello`. A member of a replica set names its set, or says that it does not know it
 * yet (`isreplicaset`); a `mongos` says `isdbgrid`; anything else is a standalone server.
 */
export function topologyOf(hello: Document): Topology {
  if (hello['msg'] === 'isdbgrid') return 'sharded cluster';
  return typeof hello['setName'] === 'string' || hello['isreplicaset'] === true
    ? 'replica set'
    : 'standalone';
}

/**
 * Standalone servers have no transactions, so a write is an ordered sequence with a journal
 * (docs/decisions/002-optimistic-writes-and-a-journal.md).
 */
export async function detectDeployment(db: Db): Promise<Deployment> {
  return topologyOf(await db.command({ hello: 1 })) === 'standalone' ? 'standalone' : 'transactions';
}

/** The database in a URI; null if there is none. */
export function databaseIn(uri: string): string | null {
  const named = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(uri)?.[1];
  return named ? decodeURIComponent(named) : null;
}

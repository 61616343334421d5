import type { Db } from 'mongodb';

/** What the server can do for writes: real transactions, or single-document atomicity only. */
export type Deployment = 'transactions' | 'standalone';

/**
 * Asks the server what it is. A replica set member names its set, a `mongos` says `isdbgrid`; anything else is a standalone
 * server, where a write is an ordered sequence with a journal (docs/decisions/002-optimistic-writes-and-a-journal.md).
 */
export async function detectDeployment(db: Db): Promise<Deployment> {
  const hello = await db.command({ hello: 1 });
  return typeof hello['setName'] === 'string' || hello['msg'] === 'isdbgrid' ? 'transactions' : 'standalone';
}

import type { Collection } from 'mongodb';
import { deleteNamed } from '../connection/delete.js';
import { insertNew } from '../connection/insert.js';
import type { Store } from '../connection/store.js';
import type { StoredUser } from './users.js';

/** A session in `refresh` mode. The refresh token changes with each use. */
export interface StoredSession {
  readonly sessionId: string;
  /** The user's numeric id. */
  readonly userId: number;
  /**
   * The account's `passwordVersion` when its password was verified (absent: 0); the session ends when that
   * changes.
   */
  readonly passwordVersion?: number;
  /**
   * Random. Refresh tokens are derived from it and the server's secret, so that neither alone is enough to
   * make one.
   */
  readonly seed: string;
  /** The number of renewals. If an older token is used again, it or its successor was stolen. */
  readonly generation: number;
  readonly device: string | null;
  readonly createdAt: Date;
  readonly usedAt: Date;
  /** When the session ends in any case. */
  readonly expiresAt: Date;
}

/**
 * Whether a session is of this account and began after its last change of password or block. Deleting the
 * sessions does not suffice: a sign-in that verified the old password may store one afterwards.
 */
export const isSessionOf = (session: StoredSession, user: StoredUser): boolean =>
  session.userId === user.id && (session.passwordVersion ?? 0) === (user.passwordVersion ?? 0);

const sessions = (store: Store): Collection<StoredSession> =>
  store.db.collection<StoredSession>('mangrove.sessions');

export const insertSession = (store: Store, session: StoredSession): Promise<void> =>
  insertNew(sessions(store), session);

export const findSession = (store: Store, sessionId: string): Promise<StoredSession | null> =>
  sessions(store).findOne({ sessionId }, { projection: { _id: 0 } });

export const listSessions = (store: Store, userId: number): Promise<StoredSession[]> =>
  sessions(store)
    .find({ userId }, { projection: { _id: 0 } })
    .sort({ createdAt: 1 })
    .toArray();

/** Begins the next generation if this one is current; of two concurrent uses, one succeeds. */
export const rotateSession = async (
  store: Store,
  { sessionId, generation }: Pick<StoredSession, 'sessionId' | 'generation'>,
  now: Date,
): Promise<boolean> => {
  const change = { $set: { generation: generation + 1, usedAt: now } };
  return (await sessions(store).updateOne({ sessionId, generation }, change)).modifiedCount === 1;
};

export const deleteSession = async (store: Store, sessionId: string): Promise<void> => {
  await deleteNamed(sessions(store), { sessionId });
};

/** Ends every session of a user. */
export const deleteSessions = async (store: Store, userId: number): Promise<void> => {
  await sessions(store).deleteMany({ userId });
};

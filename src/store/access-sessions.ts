import type { Collection } from 'mongodb';
import type { Store } from './client.js';

/** One sign-in in `refresh` mode (rules H.3). The refresh token is kept as a hash, and changes with each use. */
export interface StoredSession {
  readonly sessionId: string;
  /** The user's numeric id. */
  readonly userId: number;
  readonly tokenHash: string;
  /** The hash before the last rotation: whoever shows it again has stolen it. */
  readonly previousHash: string | null;
  readonly device: string | null;
  readonly createdAt: Date;
  readonly usedAt: Date;
  /** The end whatever happens. */
  readonly expiresAt: Date;
}

const sessions = (store: Store): Collection<StoredSession> =>
  store.db.collection<StoredSession>('mangrove.sessions');

export const insertSession = async (store: Store, session: StoredSession): Promise<void> => {
  await sessions(store).insertOne({ ...session });
};

export const findSession = (store: Store, sessionId: string): Promise<StoredSession | null> =>
  sessions(store).findOne({ sessionId }, { projection: { _id: 0 } });

export const listSessions = (store: Store, userId: number): Promise<StoredSession[]> =>
  sessions(store)
    .find({ userId }, { projection: { _id: 0 } })
    .sort({ createdAt: 1 })
    .toArray();

/** Replaces the refresh token, if it still is the one that was shown: of two racing uses one wins. */
export const rotateSession = async (
  store: Store,
  sessionId: string,
  from: string,
  to: string,
  now: Date,
): Promise<boolean> => {
  const change = { $set: { tokenHash: to, previousHash: from, usedAt: now } };
  return (await sessions(store).updateOne({ sessionId, tokenHash: from }, change)).modifiedCount === 1;
};

export const deleteSession = async (store: Store, sessionId: string): Promise<void> => {
  await sessions(store).deleteOne({ sessionId });
};

/** Ends every session of a user, or all but one. */
export const deleteSessions = async (store: Store, userId: number, except?: string): Promise<void> => {
  await sessions(store).deleteMany(
    except === undefined ? { userId } : { userId, sessionId: { $ne: except } },
  );
};

import type { Collection } from 'mongodb';
import type { Store } from '../connection/store.js';

/** One sign-in in `refresh` mode (rules H.3). The refresh token changes with each use. */
export interface StoredSession {
  readonly sessionId: string;
  /** The user's numeric id. */
  readonly userId: number;
  /** Random; refresh tokens are made of it with the server's secret, so neither alone makes one. */
  readonly seed: string;
  /** How often it was renewed: an older token that comes again was stolen, or its owner's was. */
  readonly generation: number;
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

/** Begins the next generation, if this still is the last one: of two racing uses one wins. */
export const rotateSession = async (
  store: Store,
  { sessionId, generation }: Pick<StoredSession, 'sessionId' | 'generation'>,
  now: Date,
): Promise<boolean> => {
  const change = { $set: { generation: generation + 1, usedAt: now } };
  return (await sessions(store).updateOne({ sessionId, generation }, change)).modifiedCount === 1;
};

export const deleteSession = async (store: Store, sessionId: string): Promise<void> => {
  await sessions(store).deleteOne({ sessionId });
};

/** Ends every session of a user. */
export const deleteSessions = async (store: Store, userId: number): Promise<void> => {
  await sessions(store).deleteMany({ userId });
};

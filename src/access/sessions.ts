import { randomUUID } from 'node:crypto';
import { errors } from '../errors.js';
import {
  deleteSession,
  findSession,
  insertSession,
  rotateSession,
  type StoredSession,
} from '../store/access-sessions.js';
import type { StoredUser } from '../store/access-users.js';
import type { AccessDeps } from './deps.js';
import { signToken } from './jwt.js';
import { hashCode, makeCode } from './one-time-code.js';

/** What a sign-in gives: with sessions switched on a short token and one to renew it, else one long token. */
export interface Credentials {
  readonly jwt: string;
  readonly refreshToken?: string;
}

const accessToken = (deps: AccessDeps, userId: number, sessionId: string): string => {
  const { sessions, jwtSecret } = deps.settings;
  return signToken({ kind: 'session', id: userId, sessionId }, jwtSecret, sessions.accessTokenLifespan);
};

const startSession = async (
  deps: AccessDeps,
  userId: number,
  device: string | null,
): Promise<Credentials> => {
  const secret = makeCode();
  const now = new Date();
  const session: StoredSession = {
    sessionId: randomUUID(),
    userId,
    tokenHash: hashCode(secret),
    previousHash: null,
    device,
    createdAt: now,
    usedAt: now,
    expiresAt: new Date(now.getTime() + deps.settings.sessions.maxRefreshTokenLifespan * 1000),
  };
  await insertSession(deps.store, session);
  return {
    jwt: accessToken(deps, userId, session.sessionId),
    refreshToken: `${session.sessionId}.${secret}`,
  };
};

/** Signs a user in (rules H.3). */
export const issueCredentials = async (
  deps: AccessDeps,
  user: StoredUser,
  device: string | null = null,
): Promise<Credentials> => {
  const { sessions, jwtSecret, jwtExpiresIn } = deps.settings;
  if (sessions.enabled) return startSession(deps, user.id, device);
  const claims = { kind: 'plain', id: user.id, passwordVersion: user.passwordVersion ?? 0 } as const;
  return { jwt: signToken(claims, jwtSecret, jwtExpiresIn) };
};

const isOver = (deps: AccessDeps, session: StoredSession): boolean => {
  const idleEnd = session.usedAt.getTime() + deps.settings.sessions.idleRefreshTokenLifespan * 1000;
  return Math.min(session.expiresAt.getTime(), idleEnd) < Date.now();
};

/**
 * A new pair for a refresh token, which is thereby used up. One that was already used ends its session: two hold it, and one
 * of them should not. Throws 401.
 */
export const refreshCredentials = async (deps: AccessDeps, refreshToken: string): Promise<Credentials> => {
  const [sessionId = '', secret = ''] = refreshToken.split('.');
  const session = await findSession(deps.store, sessionId);
  const shown = hashCode(secret);
  if (!session || isOver(deps, session))
    throw errors.unauthorized('refresh-token-invalid', 'Invalid refresh token');
  const next = makeCode();
  if (!(await rotateSession(deps.store, sessionId, shown, hashCode(next), new Date()))) {
    if (session.previousHash === shown) await endSession(deps, sessionId);
    throw errors.unauthorized('refresh-token-invalid', 'Invalid refresh token');
  }
  return { jwt: accessToken(deps, session.userId, sessionId), refreshToken: `${sessionId}.${next}` };
};

/** Ends one session: its tokens are refused from now on, everywhere within five seconds. */
export const endSession = async (deps: AccessDeps, sessionId: string): Promise<void> => {
  await deleteSession(deps.store, sessionId);
  await deps.directory.changed();
};

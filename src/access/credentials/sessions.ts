import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { errors } from '../../errors.js';
import { shorten } from '../../print-value.js';
import {
  deleteSession,
  findSession,
  insertSession,
  isSessionOf,
  rotateSession,
  type StoredSession,
} from '../../store/access/sessions.js';
import { findUser, type StoredUser } from '../../store/access/users.js';
import { makeCode } from '../accounts/one-time-code.js';
import { RULES } from '../accounts/rules.js';
import { checkBody } from '../body.js';
import type { AccessDeps } from '../deps.js';
import { readClaims, signClaims, signToken } from '../identity/jwt.js';

/**
 * The credentials of a sign-in: with sessions enabled, a short-lived token and a refresh token, otherwise one
 * long-lived token.
 */
export interface Credentials {
  readonly jwt: string;
  readonly refreshToken?: string;
}

const accessToken = (deps: AccessDeps, userId: number, sessionId: string): string => {
  const { sessions, jwtSecret } = deps.settings;
  return signToken({ kind: 'session', id: userId, sessionId }, jwtSecret, sessions.accessTokenLifespan);
};

/** Characters of a `User-Agent` that are stored. */
const MAX_DEVICE = 200;

/** `<session>.<generation>.<signature>`: tokens of earlier generations can be told from forged ones. */
const refreshToken = (
  { settings }: AccessDeps,
  { sessionId, seed }: Pick<StoredSession, 'sessionId' | 'seed'>,
  generation: number,
): string => {
  const signed = `${sessionId}.${generation}`;
  const signature = createHmac('sha256', settings.jwtSecret)
    .update(`refresh ${signed} ${seed}`)
    .digest('hex');
  return `${signed}.${signature}`;
};

/** The generation of a genuine token; null for any other. */
const generationOf = (deps: AccessDeps, session: StoredSession, token: string): number | null => {
  const generation = Number(token.split('.')[1]);
  if (!Number.isSafeInteger(generation) || generation < 0) return null;
  const made = Buffer.from(refreshToken(deps, session, generation));
  const shown = Buffer.from(token);
  return made.length === shown.length && timingSafeEqual(made, shown) ? generation : null;
};

const startSession = async (
  deps: AccessDeps,
  user: StoredUser,
  device: string | null,
): Promise<Credentials> => {
  const now = new Date();
  const session: StoredSession = {
    sessionId: randomUUID(),
    userId: user.id,
    passwordVersion: user.passwordVersion ?? 0,
    seed: makeCode(),
    generation: 0,
    device: device === null ? null : shorten(device, MAX_DEVICE),
    createdAt: now,
    usedAt: now,
    expiresAt: new Date(now.getTime() + deps.settings.sessions.maxRefreshTokenLifespan * 1000),
  };
  deps.begin();
  await insertSession(deps.store, session);
  return {
    jwt: accessToken(deps, user.id, session.sessionId),
    refreshToken: refreshToken(deps, session, 0),
  };
};

/** Issues the credentials of a signed-in user. */
export const issueCredentials = async (
  deps: AccessDeps,
  user: StoredUser,
  device: string | null = null,
): Promise<Credentials> => {
  const { sessions, jwtSecret, jwtExpiresIn } = deps.settings;
  if (sessions.enabled) return startSession(deps, user, device);
  const claims = { kind: 'plain', id: user.id, passwordVersion: user.passwordVersion ?? 0 } as const;
  return { jwt: signToken(claims, jwtSecret, jwtExpiresIn) };
};

/**
 * Signs a token for a project's code, with what it wants to say in it. One that names an account by `id` signs it in
 * until its password changes, unless there are sessions.
 */
export const signForCode = ({ settings }: AccessDeps, claims: object, options: object): string =>
  signClaims({ ...claims }, settings.jwtSecret, {
    expiresIn: settings.jwtExpiresIn as number,
    ...options,
  });

/** What a token says that was signed here; null for any other. Whether its account still accepts it is not asked. */
export const claimsIn = ({ settings }: AccessDeps, token: string): Readonly<Record<string, unknown>> | null =>
  readClaims(token, settings.jwtSecret);

const isOver = (deps: AccessDeps, session: StoredSession): boolean => {
  const idleEnd = session.usedAt.getTime() + deps.settings.sessions.idleRefreshTokenLifespan * 1000;
  return Math.min(session.expiresAt.getTime(), idleEnd) < Date.now();
};

/**
 * Exchanges a refresh token for new credentials. Using one twice ends its session: two parties hold it, and
 * one of them should not. Throws a 401, or a 400 if no token is given.
 */
export const refreshCredentials = async (deps: AccessDeps, shown: unknown): Promise<Credentials> => {
  const { refreshToken: token } = checkBody({ refreshToken: shown }, RULES.refresh);
  const [sessionId = ''] = token.split('.');
  const session = await findSession(deps.store, sessionId);
  const generation = session && generationOf(deps, session, token);
  if (!session || generation === null || isOver(deps, session)) throw invalidToken();
  const user = await findUser(deps.store, { id: session.userId });
  if (!user || user.blocked === true || !isSessionOf(session, user)) throw invalidToken();
  deps.begin();
  if (!(await rotateSession(deps.store, { sessionId, generation }, new Date()))) {
    await endSession(deps, sessionId);
    throw invalidToken();
  }
  return {
    jwt: accessToken(deps, session.userId, sessionId),
    refreshToken: refreshToken(deps, session, generation + 1),
  };
};

const invalidToken = () => errors.unauthorized('refresh-token-invalid', 'Invalid refresh token');

/** Ends a session: its tokens are rejected from now on, by all processes within five seconds. */
export const endSession = async (deps: AccessDeps, sessionId: string): Promise<void> => {
  deps.begin();
  await deleteSession(deps.store, sessionId);
  await deps.authCache.changed();
};

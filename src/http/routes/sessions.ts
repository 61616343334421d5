import type { Identity } from '../../access/index.js';
import { errors } from '../../errors.js';
import type { Controller, Route } from '../context.js';
import { dropCookie, giveCredentials, refreshTokenOf } from './session-cookie.js';

const action = (name: string): string => `plugin::users-permissions.auth.${name}`;

const holder = (identity: Identity): { userId: number; session: string | null } => {
  if (identity.kind !== 'user') throw errors.unauthorized('sign-in-required', 'Unauthorized');
  return identity;
};

const whenEnabled =
  (controller: Controller): Controller =>
  (ctx, identity, deps) => {
    if (!deps.access.refreshCookie) throw errors.notFound();
    return controller(ctx, identity, deps);
  };

/** Renewing and ending sessions; 404 unless `jwtManagement` is `refresh`. */
export const sessionRoutes: readonly Route[] = [
  {
    method: 'post',
    path: '/auth/refresh',
    action: action('refresh'),
    controller: whenEnabled(async (ctx, _, { access }) => {
      const { sessions } = access.forRequest(ctx.exchange.budget);
      const credentials = await sessions.refresh(refreshTokenOf(ctx));
      ctx.body = giveCredentials(ctx, access.refreshCookie, credentials);
    }),
  },
  {
    method: 'post',
    path: '/auth/logout',
    action: action('logout'),
    controller: whenEnabled(async (ctx, identity, { access }) => {
      const { session } = holder(identity);
      if (session !== null) await access.forRequest(ctx.exchange.budget).sessions.end(session);
      dropCookie(ctx, access.refreshCookie);
      ctx.body = { ok: true };
    }),
  },
  {
    method: 'get',
    path: '/auth/sessions',
    action: action('getSessions'),
    controller: whenEnabled(async (ctx, identity, { access: { sessions } }) => {
      const { userId, session } = holder(identity);
      const own = await sessions.list(userId);
      ctx.body = own.map(({ sessionId, device, createdAt, usedAt, expiresAt }) => ({
        sessionId,
        device,
        createdAt,
        lastUsedAt: usedAt,
        expiresAt,
        current: sessionId === session,
      }));
    }),
  },
  {
    method: 'delete',
    path: '/auth/sessions/:id',
    action: action('revokeSession'),
    controller: whenEnabled(async (ctx, identity, { access }) => {
      const { sessions } = access.forRequest(ctx.exchange.budget);
      const { userId } = holder(identity);
      const session = await sessions.own(userId, ctx.params['id'] ?? '');
      if (!session) throw errors.notFound();
      await sessions.end(session.sessionId);
      ctx.body = { ok: true };
    }),
  },
];

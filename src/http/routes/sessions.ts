import { RULES } from '../../access/account-rules.js';
import { checkBody } from '../../access/body.js';
import type { Identity } from '../../access/identity.js';
import type { Access } from '../../access/index.js';
import { endSession, refreshCredentials } from '../../access/sessions.js';
import { errors } from '../../errors.js';
import { listSessions } from '../../store/access-sessions.js';
import type { Controller, Route } from '../context.js';
import { dropCookie, giveCredentials, shownRefreshToken } from './session-cookie.js';

const action = (name: string): string => `plugin::users-permissions.auth.${name}`;

const holder = (identity: Identity): { userId: number; session: string | null } => {
  if (identity.kind !== 'user') throw errors.unauthorized('sign-in-required', 'Unauthorized');
  return identity;
};

/** Renewing and ending sign-ins; all of it is 404 unless `jwtManagement` is `refresh` (rules H.3). */
export const sessionRoutes = ({ deps }: Access): readonly Route[] => {
  const whenEnabled =
    (controller: Controller): Controller =>
    (ctx, identity) => {
      if (!deps.settings.sessions.enabled) throw errors.notFound();
      return controller(ctx, identity);
    };
  return [
    {
      method: 'post',
      path: '/auth/refresh',
      action: action('refresh'),
      controller: whenEnabled(async (ctx) => {
        const { refreshToken } = checkBody({ refreshToken: shownRefreshToken(ctx) }, RULES.refresh);
        ctx.body = giveCredentials(ctx, deps.settings, await refreshCredentials(deps, refreshToken));
      }),
    },
    {
      method: 'post',
      path: '/auth/logout',
      action: action('logout'),
      controller: whenEnabled(async (ctx, identity) => {
        const { session } = holder(identity);
        if (session !== null) await endSession(deps, session);
        dropCookie(ctx);
        ctx.body = { ok: true };
      }),
    },
    {
      method: 'get',
      path: '/auth/sessions',
      action: action('getSessions'),
      controller: whenEnabled(async (ctx, identity) => {
        const { userId, session } = holder(identity);
        const sessions = await listSessions(deps.store, userId);
        ctx.body = sessions.map(({ sessionId, device, createdAt, usedAt, expiresAt }) => ({
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
      controller: whenEnabled(async (ctx, identity) => {
        const { userId } = holder(identity);
        const own = await listSessions(deps.store, userId);
        const session = own.find(({ sessionId }) => sessionId === ctx.params['id']);
        if (!session) throw errors.notFound();
        await endSession(deps, session.sessionId);
        ctx.body = { ok: true };
      }),
    },
  ];
};

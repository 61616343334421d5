import { accountErrors, type Identity, type Operations, type StoredUser } from '../../access/index.js';
import type { Controller, RequestContext, Route } from '../context.js';
import type { AppDeps } from '../deps.js';
import { limitSignInAttempts } from '../middleware/rate-limit.js';
import { giveCredentials } from './session-cookie.js';
import { showFields } from './show.js';
import { showWritten } from './show-account.js';

const action = (name: string): string => `plugin::users-permissions.auth.${name}`;

const userIdOf = (identity: Identity): number => {
  if (identity.kind !== 'user') throw accountErrors.notSignedIn();
  return identity.userId;
};

interface Welcomed {
  readonly user: StoredUser;
  readonly shown?: unknown;
}

/** Signs in the account that the operation yields, within the same request. */
const welcome = async (
  ctx: RequestContext,
  { access }: AppDeps,
  { sessions }: Operations,
  { user, shown = showFields(access.userType, user) }: Welcomed,
): Promise<void> => {
  const credentials = await sessions.issue(user, ctx.get('user-agent') || null);
  ctx.body = { ...giveCredentials(ctx, access.refreshCookie, credentials), user: shown };
};

const noProvider: Controller = () => {
  throw accountErrors.providerDisabled();
};

/** Registration, sign-in and passwords. Answers have no `data` envelope. */
export const authRoutes: readonly Route[] = [
  {
    method: 'post',
    path: '/auth/local',
    action: action('callback'),
    controller: limitSignInAttempts('identifier', async (ctx, _, deps) => {
      const operations = deps.access.forRequest(ctx.exchange.budget);
      await welcome(ctx, deps, operations, { user: await operations.sessions.signIn(ctx.request.body) });
    }),
  },
  {
    method: 'post',
    path: '/auth/local/register',
    action: action('register'),
    controller: limitSignInAttempts('email', async (ctx, identity, deps) => {
      const operations = deps.access.forRequest(ctx.exchange.budget);
      operations.users.checkExtraKeys(ctx.request.body, identity);
      const user = await operations.users.register(ctx.request.body);
      const shown = await showWritten(identity, user, deps);
      if (user.confirmed) await welcome(ctx, deps, operations, { user, shown });
      else ctx.body = { user: shown };
    }),
  },
  {
    method: 'post',
    path: '/auth/forgot-password',
    action: action('forgotPassword'),
    controller: limitSignInAttempts('email', async (ctx, _, { access }) => {
      await access.forRequest(ctx.exchange.budget).users.forgotPassword(ctx.request.body);
      ctx.body = { ok: true };
    }),
  },
  {
    method: 'post',
    path: '/auth/reset-password',
    action: action('resetPassword'),
    controller: limitSignInAttempts(null, async (ctx, _, deps) => {
      const operations = deps.access.forRequest(ctx.exchange.budget);
      await welcome(ctx, deps, operations, { user: await operations.users.resetPassword(ctx.request.body) });
    }),
  },
  {
    method: 'post',
    path: '/auth/change-password',
    action: action('changePassword'),
    controller: limitSignInAttempts(null, async (ctx, identity, deps) => {
      const operations = deps.access.forRequest(ctx.exchange.budget);
      const user = await operations.users.changePassword(userIdOf(identity), ctx.request.body);
      await welcome(ctx, deps, operations, { user });
    }),
  },
  {
    method: 'get',
    path: '/auth/email-confirmation',
    action: action('emailConfirmation'),
    controller: async (ctx, _, { access }) => {
      ctx.redirect(
        await access.forRequest(ctx.exchange.budget).users.confirmEmail(ctx.exchange.query.params),
      );
    },
  },
  {
    method: 'post',
    path: '/auth/send-email-confirmation',
    action: action('sendEmailConfirmation'),
    controller: limitSignInAttempts('email', async (ctx, _, { access }) => {
      const { users } = access.forRequest(ctx.exchange.budget);
      ctx.body = { email: await users.sendConfirmation(ctx.request.body), sent: true };
    }),
  },
  {
    method: 'get',
    path: '/connect/:provider',
    action: action('connect'),
    controller: limitSignInAttempts(null, noProvider),
  },
  { method: 'get', path: '/auth/:provider/callback', action: action('callback'), controller: noProvider },
];

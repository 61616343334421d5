import { type Access, accountErrors, type Identity } from '../../access/index.js';
import type { StoredUser } from '../../store/access-users.js';
import type { Controller, RequestContext, Route } from '../context.js';
import { limitTries } from '../middleware/rate-limit.js';
import { giveCredentials } from './session-cookie.js';
import { showFields } from './show.js';

const action = (name: string): string => `plugin::users-permissions.auth.${name}`;

const userIdOf = (identity: Identity): number => {
  if (identity.kind !== 'user') throw accountErrors.notSignedIn();
  return identity.userId;
};

/** Registration, sign-in and what belongs to a password (rules H.3). They answer without the `data` envelope. */
export const authRoutes = (access: Access): readonly Route[] => {
  const { users, sessions } = access;
  const limit = limitTries(access.tries);

  const welcome = async (ctx: RequestContext, user: StoredUser): Promise<void> => {
    const credentials = await sessions.issue(user, ctx.get('user-agent') || null);
    ctx.body = {
      ...giveCredentials(ctx, access.refreshCookie, credentials),
      user: showFields(access.userType, user),
    };
  };

  const noProvider: Controller = () => {
    throw accountErrors.providerDisabled();
  };

  return [
    {
      method: 'post',
      path: '/auth/local',
      action: action('callback'),
      controller: limit('identifier', async (ctx) => welcome(ctx, await sessions.signIn(ctx.request.body))),
    },
    {
      method: 'post',
      path: '/auth/local/register',
      action: action('register'),
      controller: limit('email', async (ctx, identity) => {
        users.checkExtraKeys(ctx.request.body, identity);
        const user = await users.register(ctx.request.body);
        if (user.confirmed) await welcome(ctx, user);
        else ctx.body = { user: showFields(access.userType, user) };
      }),
    },
    {
      method: 'post',
      path: '/auth/forgot-password',
      action: action('forgotPassword'),
      controller: limit('email', async (ctx) => {
        await users.forgotPassword(ctx.request.body);
        ctx.body = { ok: true };
      }),
    },
    {
      method: 'post',
      path: '/auth/reset-password',
      action: action('resetPassword'),
      controller: limit(null, async (ctx) => welcome(ctx, await users.resetPassword(ctx.request.body))),
    },
    {
      method: 'post',
      path: '/auth/change-password',
      action: action('changePassword'),
      controller: limit(null, async (ctx, identity) =>
        welcome(ctx, await users.changePassword(userIdOf(identity), ctx.request.body)),
      ),
    },
    {
      method: 'get',
      path: '/auth/email-confirmation',
      action: action('emailConfirmation'),
      controller: async (ctx) => {
        ctx.redirect(await users.confirmEmail(ctx.state.query.params));
      },
    },
    {
      method: 'post',
      path: '/auth/send-email-confirmation',
      action: action('sendEmailConfirmation'),
      controller: limit('email', async (ctx) => {
        ctx.body = { email: await users.sendConfirmation(ctx.request.body), sent: true };
      }),
    },
    {
      method: 'get',
      path: '/connect/:provider',
      action: action('connect'),
      controller: limit(null, noProvider),
    },
    { method: 'get', path: '/auth/:provider/callback', action: action('callback'), controller: noProvider },
  ];
};

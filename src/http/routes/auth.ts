import { accountErrors } from '../../access/account-errors.js';
import { changePassword, forgotPassword, resetPassword } from '../../access/change-password.js';
import { confirmEmail, sendConfirmation } from '../../access/confirm-email.js';
import type { Identity } from '../../access/identity.js';
import type { Access } from '../../access/index.js';
import { register } from '../../access/register.js';
import { issueCredentials } from '../../access/sessions.js';
import { signIn } from '../../access/sign-in.js';
import type { Schema } from '../../schema/types.js';
import type { StoredUser } from '../../store/access-users.js';
import type { Controller, RequestContext, Route } from '../context.js';
import { limitTries } from '../middleware/rate-limit.js';
import { accountBody } from './account-body.js';
import { giveCredentials } from './session-cookie.js';
import { showFields } from './show.js';

const action = (name: string): string => `plugin::users-permissions.auth.${name}`;

const userIdOf = (identity: Identity): number => {
  if (identity.kind !== 'user') throw accountErrors.notSignedIn();
  return identity.userId;
};

/** Registration, sign-in and what belongs to a password (rules H.3). They answer without the `data` envelope. */
export const authRoutes = (access: Access, schema: Schema): readonly Route[] => {
  const { deps } = access;
  const limit = limitTries(access.tries);

  const welcome = async (ctx: RequestContext, user: StoredUser): Promise<void> => {
    const credentials = await issueCredentials(deps, user, ctx.get('user-agent') || null);
    ctx.body = {
      ...giveCredentials(ctx, deps.settings, credentials),
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
      controller: limit('identifier', async (ctx) => welcome(ctx, await signIn(deps, ctx.request.body))),
    },
    {
      method: 'post',
      path: '/auth/local/register',
      action: action('register'),
      controller: limit('email', async (ctx, identity) => {
        const user = await register(deps, accountBody(ctx, identity, { deps, schema }));
        if (user.confirmed) await welcome(ctx, user);
        else ctx.body = { user: showFields(access.userType, user) };
      }),
    },
    {
      method: 'post',
      path: '/auth/forgot-password',
      action: action('forgotPassword'),
      controller: limit('email', async (ctx) => {
        await forgotPassword(deps, ctx.request.body);
        ctx.body = { ok: true };
      }),
    },
    {
      method: 'post',
      path: '/auth/reset-password',
      action: action('resetPassword'),
      controller: limit(null, async (ctx) => welcome(ctx, await resetPassword(deps, ctx.request.body))),
    },
    {
      method: 'post',
      path: '/auth/change-password',
      action: action('changePassword'),
      controller: limit(null, async (ctx, identity) =>
        welcome(ctx, await changePassword(deps, userIdOf(identity), ctx.request.body)),
      ),
    },
    {
      method: 'get',
      path: '/auth/email-confirmation',
      action: action('emailConfirmation'),
      controller: async (ctx) => {
        await confirmEmail(deps, ctx.state.query.params);
        ctx.redirect(deps.settings.advanced.email_confirmation_redirection ?? '/');
      },
    },
    {
      method: 'post',
      path: '/auth/send-email-confirmation',
      action: action('sendEmailConfirmation'),
      controller: limit('email', async (ctx) => {
        ctx.body = { email: await sendConfirmation(deps, ctx.request.body), sent: true };
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

import type { Route } from '../context.js';

/** `POST /email`: sends a mail that the caller has written. Requires a grant. */
export const emailRoutes: readonly Route[] = [
  {
    method: 'post',
    path: '/email',
    action: 'plugin::email.email.send',
    controller: async (ctx, _, { access }) => {
      await access.users.sendEmail(ctx.request.body);
      ctx.body = {};
    },
  },
];

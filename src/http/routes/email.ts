import type { Route } from '../context.js';

/** `POST /email`: sends what the caller has written. Nobody may unless it is granted. */
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

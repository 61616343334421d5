import type { ContentType } from '../../schema/types.js';
import type { Route } from '../context.js';
import type { AppDeps } from '../deps.js';
import { asV3, countRoute } from './v3.js';
import { asV4 } from './v4.js';
import { flatV4 } from './v4-body.js';

/** The routes as clients of an older version of Strapi ask them (`rest.compat`); those of content types alone. */
export function compatRoutes(deps: AppDeps, routes: readonly Route[]): readonly Route[] {
  const { compat } = deps.config.rest;
  if (compat === null) return routes;
  const adapt = compat === 'v4' ? asV4 : asV3;
  const counts = compat === 'v3' ? [...deps.schema.contentTypes.values()].filter(isListed) : [];
  return [
    ...counts.map((type) => countRoute(deps, type)),
    ...routes.map((route) => {
      const type = typeOf(deps, route);
      if (type) return adapt(deps, type, route);
      return compat === 'v4' ? flat(deps, route) : route;
    }),
  ];
}

const typeOf = ({ schema }: AppDeps, { action }: Route): ContentType | undefined => {
  const uid = action?.slice(0, action.lastIndexOf('.'));
  return uid?.startsWith('api::') ? schema.contentTypes.get(uid) : undefined;
};

const isListed = ({ origin, kind }: ContentType): boolean => origin === 'api' && kind === 'collectionType';

/** Routes whose answers have no envelope, by their first segment, and the type of what they show. */
const FLAT: Readonly<Record<string, string>> = {
  users: 'plugin::users-permissions.user',
  upload: 'plugin::upload.file',
};

function flat({ schema }: AppDeps, route: Route): Route {
  const model = schema.contentTypes.get(FLAT[route.path.split('/')[1] ?? ''] ?? '');
  if (!model) return route;
  const one = (entry: unknown): unknown =>
    typeof entry === 'object' && entry !== null
      ? flatV4(schema, model, entry as Record<string, unknown>)
      : entry;
  return {
    ...route,
    controller: async (ctx, identity) => {
      await route.controller(ctx, identity);
      if (ctx.status < 400) ctx.body = Array.isArray(ctx.body) ? ctx.body.map(one) : one(ctx.body);
    },
  };
}

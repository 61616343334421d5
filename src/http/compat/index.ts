import type { RouteOperation } from '../../describe/contract/types.js';
import { restViewer } from '../../query/attributes.js';
import type { ContentType, Schema } from '../../schema/types.js';
import { FILE_UID, ROLE_UID, USER_UID } from '../../schema/uids.js';
import { isObject, mapObjects } from '../../values/plain-object.js';
import type { Route } from '../context.js';
import type { RouteParts } from '../deps.js';
import { answering, replaceQuery } from './adapt.js';
import { localizing } from './localize.js';
import { asV3, countRoute } from './v3.js';
import { pluginV3 } from './v3-plugins.js';
import { asV4 } from './v4.js';
import { flatV4 } from './v4-body.js';
import { populateV4 } from './v4-populate.js';

/** The adaptation to clients of an older version of Strapi. */
export interface Adapted {
  /** The routes, adapted. */
  readonly adapted: readonly Route[];
  adapt(route: Route): Route;
  /** What creates localizations, for a route that updates entries of a localized type. */
  localized(route: Route): readonly Route[];
}

const COMPAT: RouteOperation = { kind: 'compat' };

/**
 * The routes in the form that clients of an older version of Strapi use (`rest.compat`). `finish` is applied to
 * each adapted route.
 */
export function adaptedRoutes(
  deps: Pick<RouteParts, 'config' | 'schema'>,
  routes: readonly Route[],
  finish: (route: Route) => Route,
): Adapted {
  const { compat } = deps.config.rest;
  if (compat === null) return { adapted: routes, adapt: (route) => route, localized: () => [] };
  const ofType = compat === 'v4' ? asV4 : asV3;
  const adapt = (route: Route): Route => {
    const type = typeOf(deps, route);
    const ofPlugin = compat === 'v4' ? flat : pluginV3;
    return { ...finish(type ? ofType(type, route) : ofPlugin(deps.schema, route)), operation: COMPAT };
  };
  const localized = (route: Route): readonly Route[] => {
    const type = route.method === 'put' ? typeOf(deps, route) : undefined;
    if (!type?.localized) return [];
    const made = localizing(type, route, (one) => ofType(type, one));
    return [{ ...finish(made), operation: COMPAT }];
  };
  const counts = compat === 'v3' ? countRoutes(deps, routes) : [];
  return {
    adapted: [
      ...counts.map((route) => ({ ...route, operation: COMPAT })),
      ...routes.map(adapt),
      ...routes.flatMap(localized),
    ],
    adapt,
    localized,
  };
}

/** In Strapi 3, the entries of each type and the files can be counted. */
function countRoutes({ schema }: Pick<RouteParts, 'schema'>, routes: readonly Route[]): readonly Route[] {
  const types = [...schema.contentTypes.values()].filter(isListed);
  const file = schema.contentTypes.get(FILE_UID);
  const files = routes.find(({ method, path }) => method === 'get' && path === '/upload/files');
  return [...types.map((type) => countRoute(type)), ...(file && files ? [countRoute(file, files)] : [])];
}

const typeOf = ({ schema }: Pick<RouteParts, 'schema'>, { action }: Route): ContentType | undefined => {
  const uid = action?.slice(0, action.lastIndexOf('.'));
  return uid?.startsWith('api::') ? schema.contentTypes.get(uid) : undefined;
};

const isListed = ({ origin, kind }: ContentType): boolean => origin === 'api' && kind === 'collectionType';

/**
 * Routes without an envelope, by their first segment: the type of their entries, and the member that holds
 * them.
 */
const FLAT: Readonly<Record<string, { readonly uid: string; readonly member?: string }>> = {
  users: { uid: USER_UID },
  upload: { uid: FILE_UID },
  'users-permissions': { uid: ROLE_UID, member: 'roles' },
};

/** v4 identifies locales only by number. */
const localeV4 = (locale: Readonly<Record<string, unknown>>): object => {
  const { documentId: _, publishedAt: __, ...rest } = locale;
  return rest;
};

function flat(schema: Schema, route: Route): Route {
  const segment = route.path.split('/')[1] ?? '';
  if (segment === 'i18n') return answering(route, (body) => mapObjects(body, localeV4));
  const shown = Object.hasOwn(FLAT, segment) ? FLAT[segment] : undefined;
  const model = shown && schema.contentTypes.get(shown.uid);
  if (!shown || !model) return route;
  const all = (body: unknown): unknown => mapObjects(body, (entry) => flatV4(schema, model, entry));
  return {
    ...route,
    controller: async (ctx, identity, deps) => {
      const { populate, ...query } = ctx.exchange.query.params;
      if (populate !== undefined)
        replaceQuery(ctx, {
          ...query,
          populate: populateV4({ schema, viewer: restViewer(identity) }, model, populate),
        });
      await route.controller(ctx, identity, deps);
      if (ctx.status >= 400) return;
      const body: unknown = ctx.body;
      if (shown.member === undefined) ctx.body = all(body);
      else if (isObject(body) && shown.member in body)
        ctx.body = { ...body, [shown.member]: all(body[shown.member]) };
    },
  };
}

import type { Identity } from '../../access/index.js';
import { errors } from '../../errors.js';
import { restViewer } from '../../query/attributes.js';
import type { ContentType, Schema } from '../../schema/types.js';
import { FILE_UID, USER_UID } from '../../schema/uids.js';
import { isObject, mapObjects, objectAt, type PlainObject } from '../../values/plain-object.js';
import { plainRequest } from '../content-request.js';
import type { RequestContext, Route } from '../context.js';
import type { AppDeps } from '../deps.js';
import { answering, replaceQuery } from './adapt.js';
import { draftItems, SAME_ITEMS, withDraftItems } from './items.js';
import { entriesOf, numericIdOf } from './rows.js';
import { storedFor } from './stored.js';
import { renderV3, withIds } from './v3.js';
import { refusingAsV3 } from './v3-account-errors.js';
import { showV3 } from './v3-body.js';
import { dataV3 } from './v3-input.js';
import { populateV3 } from './v3-populate.js';
import { queryV3 } from './v3-query.js';

/** The types of the routes for accounts and files, by their first segment. */
const TYPES: Readonly<Record<string, string>> = { users: USER_UID, upload: FILE_UID };

/**
 * Routes of built-in types for Strapi 3 clients, for which accounts, files and locales have ids like all
 * other entries.
 */
export function pluginV3(schema: Schema, route: Route): Route {
  const [, segment = ''] = route.path.split('/');
  if (segment === 'i18n') return answering(route, (body) => mapObjects(body, localeV3));
  const uid = Object.hasOwn(TYPES, segment) ? TYPES[segment] : undefined;
  const type = schema.contentTypes.get(uid ?? '');
  if (type) return type.uid === USER_UID ? refusingAsV3(withType(type, route)) : withType(type, route);
  return segment === 'auth' || segment === 'connect' ? refusingAsV3(signIn(route)) : route;
}

const localeV3 = ({ documentId, publishedAt: _, ...locale }: PlainObject): PlainObject => ({
  ...locale,
  _id: documentId,
  __v: 0,
  id: documentId,
});

/** Strapi 3 answers its account route without an account as a bad request, not as an unauthorized one. */
const notSignedIn = () =>
  errors.application('authorization-header-missing', 'No authorization header was found', {
    messages: [{ id: 'No authorization header was found' }],
  });

function withType(type: ContentType, route: Route): Route {
  const isOwn = route.path.endsWith('/me');
  return {
    ...route,
    controller: async (ctx, identity, deps) => {
      if (isOwn && identity.kind !== 'user') throw notSignedIn();
      await prepare(deps, type, ctx, identity);
      await route.controller(ctx, identity, deps);
      const { body } = ctx;
      if (ctx.status < 400 && typeof body === 'object' && body !== null) {
        ctx.status = 200;
        const shown = isOwn ? 'account' : 'entry';
        ctx.body = await renderV3(deps, identity, (show) => showV3(show, type, body, shown), { isOwn });
      }
    },
  };
}

async function prepare(
  deps: AppDeps,
  type: ContentType,
  ctx: RequestContext,
  identity: Identity,
): Promise<void> {
  const { id } = ctx.params;
  if (id !== undefined)
    ctx.params['id'] = String((await numericIdOf(storedFor(deps, identity), type, id)) ?? id);
  const given = ctx.exchange.query.params;
  const { pagination, sort, ...query } = await withIds(deps, identity, (by) =>
    queryV3({ ...by, viewer: restViewer(identity) }, type, given),
  );
  const body: unknown = ctx.request.body;
  if (type.uid === USER_UID && ctx.method !== 'GET' && isObject(body))
    ctx.request.body = await accountV3({ deps, identity }, type, ctx, body);
  // In the caller's own account, relations are shown as ids.
  const shown = ctx.path.endsWith('/me') ? 'account' : 'entry';
  const populate = populateV3(deps.schema, type, identity, shown);
  const counts = ctx.path.endsWith('/count');
  replaceQuery(
    ctx,
    counts ? query : { ...query, ...(sort !== undefined && { sort }), ...objectAt(pagination), populate },
  );
}

/** The body of a write of an account, with the ids that its items have here. */
async function accountV3(
  { deps, identity }: { readonly deps: AppDeps; readonly identity: Identity },
  type: ContentType,
  ctx: RequestContext,
  body: PlainObject,
): Promise<object> {
  const data = await withIds(deps, identity, (by) => dataV3(by, type, body));
  const stored = storedFor(deps, identity);
  const [row] = await entriesOf(stored, type, {
    status: 'published',
    where: { id: Number(ctx.params['id']) },
  });
  const items = row ? await draftItems(stored, type, { documentId: row.documentId, locale: '' }) : SAME_ITEMS;
  return withDraftItems(deps.schema, type, data, items);
}

/** The route of a sign-in, which answers with an account and what it refers to. */
const signIn = (route: Route): Route => ({
  ...route,
  controller: async (ctx, identity, deps) => {
    await route.controller(ctx, identity, deps);
    const { body } = ctx;
    const type = deps.schema.contentTypes.get(USER_UID);
    if (!type || !isObject(body) || !isObject(body['user'])) return;
    const { documentId } = body['user'];
    replaceQuery(ctx, { populate: populateV3(deps.schema, type, identity) });
    const service = deps.documents(USER_UID).forRequest(plainRequest(ctx, identity));
    const { data } = await service.findOne(String(documentId));
    const user = await renderV3(deps, identity, (show) => showV3(show, type, data ?? body['user']), {
      isOwn: true,
    });
    ctx.body = { ...body, user };
  },
});

import type { Identity, StoredUser } from '../../access/index.js';
import type { RequestService } from '../../documents/request.js';
import { errors } from '../../errors.js';
import { numericId } from '../../values/plain-object.js';
import { plainRequest } from '../content-request.js';
import type { Controller, RequestContext, Route } from '../context.js';
import type { AppDeps } from '../deps.js';
import { showFields } from './show.js';
import { showAnswered, showWritten } from './show-account.js';

const action = (name: string): string => `plugin::users-permissions.user.${name}`;

/** Accounts are identified by numeric id; anything else matches none. */
const idOf = (ctx: RequestContext): number => numericId(ctx.params['id']) ?? -1;

const serviceFor = (ctx: RequestContext, identity: Identity, { access, documents }: AppDeps) =>
  documents(access.userType.uid).forRequest({ ...plainRequest(ctx, identity), unpaginated: true });

/** No document has this id. */
const NO_DOCUMENT = '';

/** An account as the query selects it, read like any content; a wrong query is a 400 even if there is no account. */
const show = async (ctx: RequestContext, service: RequestService, user: StoredUser | null): Promise<void> => {
  const { data } = await service.findOne(user?.documentId ?? NO_DOCUMENT);
  if (data === null) ctx.status = 204;
  else ctx.body = data;
};

const bodyOf = (ctx: RequestContext, identity: Identity, { access }: AppDeps): unknown => {
  access.users.checkExtraKeys(ctx.request.body, identity);
  return ctx.request.body;
};

const list: Controller = async (ctx, identity, deps) => {
  const { data } = await serviceFor(ctx, identity, deps).findMany();
  ctx.body = data;
};

const count: Controller = async (ctx, identity, deps) => {
  ctx.body = await serviceFor(ctx, identity, deps).count();
};

const me: Controller = async (ctx, identity, deps) => {
  if (identity.kind !== 'user') throw errors.unauthorized('sign-in-required', 'Unauthorized');
  await show(ctx, serviceFor(ctx, identity, deps), await deps.access.users.byId(identity.userId));
};

const one: Controller = async (ctx, identity, deps) =>
  show(ctx, serviceFor(ctx, identity, deps), await deps.access.users.byId(idOf(ctx)));

const create: Controller = async (ctx, identity, deps) => {
  const { users } = deps.access.forRequest(ctx.exchange.budget);
  const user = await users.create(bodyOf(ctx, identity, deps));
  ctx.body = await showWritten(identity, user, deps);
  ctx.status = 201;
};

const update: Controller = async (ctx, identity, deps) => {
  const { users } = deps.access.forRequest(ctx.exchange.budget);
  const user = await users.edit(idOf(ctx), bodyOf(ctx, identity, deps));
  ctx.body = await showWritten(identity, user, deps);
};

const remove: Controller = async (ctx, identity, deps) => {
  const { access } = deps;
  const user = await access.forRequest(ctx.exchange.budget).users.remove(idOf(ctx));
  if (user === null) ctx.status = 204;
  else ctx.body = showAnswered(identity, user, deps) ?? showFields(access.userType, user);
};

/** `/users`: bodies have no `data` envelope; a missing account is an empty 204. */
export const userRoutes: readonly Route[] = [
  { method: 'get', path: '/users/count', action: action('count'), controller: count },
  { method: 'get', path: '/users', action: action('find'), controller: list },
  { method: 'get', path: '/users/me', action: action('me'), controller: me },
  { method: 'get', path: '/users/:id', action: action('findOne'), controller: one },
  { method: 'post', path: '/users', action: action('create'), controller: create },
  { method: 'put', path: '/users/:id', action: action('update'), controller: update },
  { method: 'delete', path: '/users/:id', action: action('destroy'), controller: remove },
];

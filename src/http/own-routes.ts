import type { Identity } from '../access/index.js';
import { errors } from '../errors.js';
import { requestCaller } from '../project-code/tools.js';
import {
  type MiddlewarePlace,
  type OwnCode,
  type OwnRoute,
  PLACES,
  type Policy,
  type RouteContext,
} from '../project-code/types.js';
import type { AppMiddleware, Controller, RequestContext, Route } from './context.js';
import type { AppDeps } from './deps.js';
import { keepHeaders } from './kept-headers.js';
import { originOf } from './origin.js';

/** Koa's context as the part of it that the project's code may use. */
const seenBy = (ctx: RequestContext): RouteContext => ctx as unknown as RouteContext;

const toolsFor = ({ tools }: OwnCode, ctx: RequestContext, identity: Identity) => ({
  ...tools,
  documents: tools.documents.attributedTo(originOf(ctx, identity)),
  caller: requestCaller(identity),
});

/** The project's own routes as rows of a route table. */
export const ownRoutes = ({ definition }: Pick<OwnCode, 'definition'>): readonly Route[] =>
  (definition.routes ?? []).map((route) => ({
    method: route.method.toLowerCase() as Route['method'],
    path: route.path,
    action: route.action,
    operation: { kind: 'own', described: route.describe ?? {} },
    controller: controllerOf(route),
  }));

const controllerOf =
  ({ handler }: OwnRoute): Controller =>
  async (ctx, identity, { own }) => {
    const answer = await handler(seenBy(ctx), toolsFor(own, ctx, identity));
    if (answer !== undefined) ctx.body = answer;
    // 404 is Koa's default here, not a choice of the handler.
    else if (ctx.body === undefined && ctx.status === 404) ctx.status = 204;
  };

const namesOf = ({ on }: Policy): readonly string[] => (typeof on === 'string' ? [on] : on);

const matches = (pattern: string, { method, path, action }: Route): boolean => {
  if (pattern === '*' || pattern === `${method.toUpperCase()} ${path}`) return true;
  if (action === null) return false;
  return pattern.endsWith('*') ? action.startsWith(pattern.slice(0, -1)) : action === pattern;
};

/**
 * The routes with the project's policies in front of their controllers.
 * @throws TypeError if `checked` and a policy matches no route: with a misspelt name it would protect nothing
 */
export function applyPolicies(
  { definition }: Pick<OwnCode, 'definition'>,
  routes: readonly Route[],
  checked: boolean,
): readonly Route[] {
  const policies = definition.policies ?? [];
  if (policies.length === 0) return routes;
  for (const name of policies.flatMap(namesOf))
    if (checked && !routes.some((route) => matches(name, route)))
      throw new TypeError(`src/index › policies: no route matches ${name}; mangrove routes list shows them`);
  return routes.map((route) => {
    const asked = policies.filter((policy) => namesOf(policy).some((name) => matches(name, route)));
    return asked.length === 0 ? route : { ...route, controller: guardedBy(asked, route.controller) };
  });
}

const guardedBy =
  (policies: readonly Policy[], controller: Controller): Controller =>
  async (ctx, identity, deps) => {
    for (const { check } of policies) {
      const answer: unknown = await check(seenBy(ctx), toolsFor(deps.own, ctx, identity));
      if (answer !== true && answer !== undefined) throw errors.policyFailed();
    }
    await controller(ctx, identity, deps);
  };

/** What runs in each place: the middleware of `src/index`, then that of a Strapi project. */
type Middlewares = Pick<AppDeps, 'own' | 'code'>;

/** `beforeBody`: of a Strapi project, whose middlewares may read the body themselves. */
type Place = MiddlewarePlace | 'beforeBody';

const listAt = ({ own, code }: Middlewares, place: Place): readonly AppMiddleware[] =>
  [
    ...(place === 'beforeBody' ? [] : (own.definition.middlewares?.[place] ?? [])),
    ...(code.running?.middlewares ?? []).filter((one) => one.place === place).map(({ handler }) => handler),
  ] as unknown as readonly AppMiddleware[];

/**
 * The project's middleware at one place. Errors that are thrown further down are sent with the headers that
 * it had set by then, its own errors without them.
 */
export const ownMiddlewares = (deps: Middlewares, place: Place): readonly AppMiddleware[] =>
  listAt(deps, place).map((middleware) => (ctx, next) => {
    keepHeaders(ctx);
    return middleware(ctx, () => {
      keepHeaders(ctx);
      return next();
    });
  });

/** Whether the project's code may see answers before they are sent. */
export const hasMiddlewares = (deps: Middlewares): boolean =>
  [...PLACES, 'beforeBody' as const].some((place) => listAt(deps, place).length > 0);

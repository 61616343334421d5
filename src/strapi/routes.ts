import type { Action } from '../documents/middleware.js';
import { errors } from '../errors.js';
import { USER_UID } from '../schema/uids.js';
import { once } from '../values/once-per.js';
import { isObject } from '../values/plain-object.js';
import type { Core } from './core.js';
import { asAnswer, asAnswerOfRoute } from './errors.js';
import type { Live } from './live.js';
import { compose, readyMiddleware } from './middlewares.js';
import { readPath } from './paths.js';
import { ACCOUNTS } from './plugin-uses.js';
import { readyPolicies } from './policies.js';
import type { Registry } from './registry.js';
import { partsOf } from './request-parts.js';
import { signedIn } from './signed-in.js';
import {
  type Answering,
  type CodeContext,
  type CodeRoute,
  type Handler,
  isCallable,
  type Values,
} from './types.js';
import { during, forRequest } from './under-way.js';
import type { Unsupported } from './unsupported.js';

/** What routes are made with. */
export interface RouteTools {
  readonly registry: Registry;
  readonly strapi: object;
  readonly core: Core;
  /** What an extension loads `ctx.state.user` with. */
  loadsUser(): ((id: number) => unknown) | null;
  live(): Live;
  /** The controller of a uid; undefined if there is none. */
  controller(uid: string): unknown;
  resolved(path: string): unknown;
  /** Whether a controller's action does what the built-in one does. */
  isBuiltIn(uid: string, action: string, controller: Values): boolean;
  /** The built-in action that a handler names; null if there is none. */
  builtIn(uid: string, action: string): string | null;
}

/** Where a route was declared. */
export interface DeclaredIn {
  readonly file: string;
  /** `api::article` or `plugin::users-permissions`; null for routes that code adds to the server. */
  readonly namespace: string | null;
  readonly prefix: string;
  /** The path is complete, without the API prefix. */
  readonly outsidePrefix: boolean;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

interface Named {
  readonly controller: string;
  readonly action: string;
}

/** `article.find` or `api::article.article.find`, in its API. */
function named(handler: string, namespace: string | null): Named {
  const at = handler.lastIndexOf('.');
  const controller = handler.slice(0, at);
  return {
    controller: controller.includes('::') || namespace === null ? controller : `${namespace}.${controller}`,
    action: handler.slice(at + 1),
  };
}

/**
 * The grants that a route requires; null: it is open; an empty list: any credential. A handler of another API has
 * the name of the route's own in front, as in Strapi: no role has that grant.
 */
function scopesOf(handler: unknown, config: Values, namespace: string | null): readonly string[] | null {
  const { auth } = config;
  if (auth === false) return null;
  const scope = isObject(auth) ? auth['scope'] : undefined;
  if (Array.isArray(scope) && scope.length > 0) return scope.map(String);
  if (typeof scope === 'string' && scope !== '') return [scope];
  if (typeof handler !== 'string' || auth === true) return [];
  const isOwn = namespace === null || handler.startsWith(`${namespace}.`);
  return [isOwn ? handler : `${namespace}.${handler}`];
}

/** As in Strapi, a route with `config.prefix` has none, whatever it is; and a prefix alone is the path of `/`. */
const wholePath = (path: string, prefix: string): string => {
  const own = path.trim();
  return own === '/' && prefix !== '' ? prefix : prefix + own;
};

/** The rows of a route as its file declares it: one for each method. */
export function routesOf(declared: unknown, at: DeclaredIn, tools: RouteTools): readonly CodeRoute[] {
  const route = isObject(declared) ? declared : {};
  const config = isObject(route['config']) ? route['config'] : {};
  const { handler } = route;
  const whole = wholePath(String(route['path']), 'prefix' in config ? '' : at.prefix);
  const read = readPath(whole);
  const method = String(route['method']).trim().toLowerCase();
  const scopes = scopesOf(handler, config, at.namespace);
  const names = typeof handler === 'string' ? named(handler.trim(), at.namespace) : null;
  const core = names && tools.builtIn(names.controller, names.action);
  const stated = { ...route, config, info: infoOf(at) };
  return METHODS.filter((one) => one === method || method === 'all').map((one): CodeRoute => {
    const state: RouteState = { failed: null };
    return {
      method: one,
      ...(read ?? { path: whole.replace(/[^\w/:.~-]/g, '') }),
      action: scopes?.[0] ?? null,
      access: scopes === null ? 'open' : scopes.length === 0 ? 'anyCredential' : 'granted',
      core,
      declared: stated,
      file: at.file,
      outsidePrefix: at.outsidePrefix,
      closed:
        read === null
          ? { file: at.file, because: `${at.file}: the path ${whole} cannot be read, as in Strapi` }
          : null,
      handler: once(() =>
        answering({
          tools,
          at,
          config,
          handler,
          names,
          scopes,
          state,
          name: `${one.toUpperCase()} ${whole}`,
          stated,
        }),
      ),
    };
  });
}

const infoOf = ({ namespace }: DeclaredIn): Values => {
  const [kind, name] = (namespace ?? '').split('::');
  return {
    type: 'content-api',
    ...(kind === 'api' && { apiName: name }),
    ...(kind === 'plugin' && { pluginName: name }),
  };
};

interface RouteState {
  /** What its code asked for in vain: from then on it is closed. */
  failed: Unsupported | null;
}

interface Given {
  readonly tools: RouteTools;
  readonly at: DeclaredIn;
  readonly config: Values;
  readonly handler: unknown;
  readonly names: Named | null;
  readonly scopes: readonly string[] | null;
  readonly state: RouteState;
  readonly name: string;
  readonly stated: Values;
}

/** The functions of a route's own handler; null: the built-in controller answers. */
function handlersOf({ tools, handler, names }: Given): readonly Handler[] | null {
  if (Array.isArray(handler)) return handler.filter(isCallable) as Handler[];
  if (isCallable(handler)) return [handler as Handler];
  if (!names) throw new TypeError('handler: a name or a function');
  const { controller: uid, action } = names;
  const isCore = tools.builtIn(uid, action) !== null;
  const controller = tools.controller(uid);
  if (!isObject(controller)) {
    if (isCore) return null;
    throw new TypeError(`there is no controller ${uid}`);
  }
  if (isCore && tools.isBuiltIn(uid, action, controller)) return null;
  const method = controller[action];
  if (!isCallable(method)) throw new TypeError(`${uid} has no action ${action}`);
  return [(ctx, next) => method.call(controller, ctx, next)];
}

const READS: readonly Action[] = ['findMany', 'findFirst', 'findOne', 'count'];
const WRITES: readonly Action[] = [
  'create',
  'update',
  'delete',
  'publish',
  'unpublish',
  'discardDraft',
  'restore',
];

const ACCOUNT_WRITES: readonly Action[] = ['create', 'update', 'delete'];

/** Whether lifecycles or document middlewares run in a built-in controller: they may ask for the request. */
function isHooked({ tools, names }: Given): boolean {
  if (!names) return false;
  const { documents } = tools.live();
  if (names.controller.startsWith(`${ACCOUNTS}.`))
    return ACCOUNT_WRITES.some((action) => documents.isAround(USER_UID, action));
  const isRead = names.action === 'find' || names.action === 'findOne';
  return documents.isWrapped(names.controller, isRead ? READS : WRITES);
}

/** @throws TypeError if a name does not exist */
function answering(given: Given): Answering {
  const { tools, at, config, names, scopes, state, name, stated } = given;
  const { strapi, registry } = tools;
  const api = at.namespace;
  const policies = readyPolicies(config['policies'], { registry, strapi, api });
  const declared = Array.isArray(config['middlewares']) ? config['middlewares'] : [];
  const middlewares = declared.map((one: unknown) =>
    readyMiddleware(one, { registry, strapi, api, resolved: tools.resolved }),
  );
  const own = handlersOf(given);
  const needsMore = scopes !== null && scopes.length !== 1;
  const handles = names ? `${names.controller}.${names.action}` : `the handler of ${name}`;
  const isBuiltIn = policies.length === 0 && middlewares.length === 0 && own === null && !needsMore;

  const act = async (...[ctx, core, around]: Parameters<Answering['run']>): Promise<void> => {
    if (scopes) checkScopes(scopes, ctx);
    Object.assign(ctx.state, {
      route: stated,
      ...(scopes && (await signedIn(tools.live(), ctx, tools.loadsUser()))),
    });
    for (const policy of policies) {
      const answer = await policy(ctx);
      if (answer !== true && answer !== undefined) throw errors.policyFailed();
    }
    const last = own === null ? core : () => around(() => during(handles, () => returned(own, ctx)));
    await compose(middlewares, ctx, last);
  };
  return {
    looks: middlewares.length > 0 || own !== null,
    isNeeded: () => !isBuiltIn || isHooked(given),
    async run(ctx, core, around) {
      if (state.failed) throw asAnswer(state.failed);
      const { record, unsupported: routes } = tools.live();
      const unsupported = await forRequest(ctx, record, async (request) => {
        try {
          await act(ctx, core, around);
        } catch (error) {
          if (!request.unsupported) throw asAnswerOfRoute(error);
        }
      });
      if (!unsupported) return;
      state.failed = unsupported;
      record({ name: 'route-unsupported', route: name, reason: unsupported.message });
      await routes.note(name, unsupported.message);
      throw asAnswer(unsupported);
    },
  };
}

/** Of several scopes each is required; without one, any credential is enough. */
function checkScopes(scopes: readonly string[], ctx: CodeContext): void {
  const { identity } = partsOf(ctx);
  if (scopes.length === 0 && identity.kind === 'public') throw errors.credentialUnknown();
  if (!scopes.every((scope) => identity.grants.allows(scope))) throw errors.forbidden();
}

/** Runs a handler; what it returns is the body if it set none. */
async function returned(handlers: readonly Handler[], ctx: CodeContext): Promise<void> {
  const value = await compose(handlers.slice(0, -1), ctx, async () =>
    handlers.at(-1)?.(ctx, async () => undefined),
  );
  if ((ctx.body === undefined || ctx.body === null) && value !== undefined && value !== null)
    ctx.body = value;
}

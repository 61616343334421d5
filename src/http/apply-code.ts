import { closingOf } from '../code/ignore.js';
import type { ProjectCode } from '../code/types.js';
import { errors } from '../errors.js';
import type { Grants } from '../query/read-plan.js';
import type { Controller, Route } from './context.js';

const refuse: Controller = () => {
  throw errors.codeNotRun();
};

/**
 * In Strapi, `auth: false` disables all grant checks, including those of populated relations (rules A.16).
 */
const UNCHECKED: Grants = { version: 'unchecked', allows: () => true };

const unchecked =
  (controller: Controller): Controller =>
  (ctx, identity, deps) =>
    controller(ctx, { ...identity, grants: UNCHECKED }, deps);

const MOUNTABLE = /^\/[\w/:.~-]*$/;
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/**
 * Adjusts the routes to what the project's code declares: routes that it leaves out are removed, those that
 * need code answer 403, those with `auth: false` are open.
 */
export function applyCode(routes: readonly Route[], code: ProjectCode): readonly Route[] {
  const byAction = new Map(routes.flatMap((route) => (route.action === null ? [] : [[route.action, route]])));
  const declared = [...code.routes.values()].flat().flatMap(({ action, open, scope, method, path }) => {
    const core = byAction.get(action);
    if (!core) return [];
    const route: Route = { ...core, method, path, action: scope ?? action };
    return [
      closingOf(code.closings, { method, path, action })
        ? closed(route)
        : open
          ? { ...route, action: null, controller: unchecked(core.controller) }
          : route,
    ];
  });
  const own = [...code.routes.keys()];
  const rest = routes
    .filter(({ action }) => !own.some((uid) => action?.startsWith(`${uid}.`)))
    .map((route) => (closingOf(code.closings, route) ? closed(route) : route));
  // These come first: a literal path takes precedence over one with parameters.
  const addresses = code.closings.flatMap(({ at }): readonly Route[] =>
    'path' in at && MOUNTABLE.test(at.path)
      ? METHODS.filter((method) => at.method === 'all' || at.method === method).map((method) =>
          closed({ method, path: at.path, action: null, controller: refuse }),
        )
      : [],
  );
  return [...addresses, ...declared, ...rest];
}

/** Closed to everyone, whatever their credential. The action is kept for listings. */
const closed = (route: Route): Route => ({ ...route, closed: true, controller: refuse });

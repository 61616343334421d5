import type { ContentAction } from '../../describe/contract/types.js';
import { oncePer } from '../../values/once-per.js';
import type { Route } from '../context.js';

const keyOf = (uid: string, action: string): string => `${uid}.${action}`;

/** Whether the address of a route has nothing to fill in but the documentId and a version: a project's code may declare others. */
const isPlain = ({ path }: Route): boolean => /^[^:*{]*(:documentId)?[^:*{]*(:version)?[^:*{]*$/.test(path);

/** The built-in routes of content that are served. Of several with the same address the first one answers. */
const served = oncePer((routes: readonly Route[]): ReadonlyMap<string, Route> => {
  const found = new Map<string, Route>();
  const addresses = new Set<string>();
  for (const route of routes) {
    const { method, path, operation, closed = false } = route;
    const address = `${method} ${path.toLowerCase().replace(/:\w+/g, ':')}`;
    const isShadowed = addresses.has(address);
    addresses.add(address);
    if (isShadowed || closed || operation?.kind !== 'content' || !isPlain(route)) continue;
    const key = keyOf(operation.uid, operation.action);
    if (!found.has(key)) found.set(key, route);
  }
  return found;
});

/** The built-in route of an action; undefined if there is none, such as where a project's code answers instead. */
export const routeOfAction = (
  routes: readonly Route[],
  uid: string,
  action: ContentAction,
): Route | undefined => served(routes).get(keyOf(uid, action));

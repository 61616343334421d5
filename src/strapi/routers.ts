import type { ContentType } from '../schema/types.js';
import { reasonOf } from '../values/reason-of.js';
import { coreRoutes } from './factories.js';
import type { Registry } from './registry.js';
import { type DeclaredIn, type RouteTools, routesOf } from './routes.js';
import { type Closing, type CodeRoute, isCallable, type Values } from './types.js';
import { Unsupported } from './unsupported.js';

/** The routes that the files in `routes` declare, in the order of the files. */
export function routersOf(
  registry: Registry,
  routed: readonly ContentType[],
  tools: RouteTools,
): readonly CodeRoute[] {
  const unknown = new Map<string, Closing>();
  const declared = registry.of('route').flatMap(({ file, uid }) => {
    const namespace = uid.slice(0, uid.indexOf('.'));
    try {
      const value = registry.value(file);
      const router: unknown = isCallable(value) ? value({ strapi: tools.strapi }) : value;
      const { routes, prefix }: Values = Array.isArray(router) ? { routes: router } : Object(router);
      // As in Strapi, a file without a list of routes declares none.
      if (!Array.isArray(routes)) return [];
      const at = placeOf(file, namespace, typeof prefix === 'string' ? prefix : '');
      return routes.flatMap((route: unknown) => routesOf(route, at, tools));
    } catch (error) {
      const because = error instanceof Unsupported ? error.message : `${file}: ${reasonOf(error)}`;
      unknown.set(namespace, { file, because });
      return [];
    }
  });
  // The routes of a router that could not be read are not known: the usual ones say why.
  const closed = [...unknown].flatMap(([namespace, because]) =>
    routed
      .filter(({ uid }) => uid.startsWith(`${namespace}.`))
      .flatMap((type) => coreRoutes(type))
      .flatMap(({ name: _, ...route }) => routesOf(route, placeOf(because.file, namespace, ''), tools))
      .map((route) => ({ ...route, closed: because })),
  );
  return [...declared, ...closed];
}

const placeOf = (file: string, namespace: string, prefix: string): DeclaredIn => ({
  file,
  namespace,
  prefix,
  outsidePrefix: false,
});

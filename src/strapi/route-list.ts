import type { ContentType } from '../schema/types.js';
import type { ExtendedPlugin } from './extension.js';
import type { Extensions } from './extensions.js';
import { routersOf } from './routers.js';
import { type DeclaredIn, type RouteTools, routesOf } from './routes.js';
import type { CodeRoute, Values } from './types.js';

/** The routes that a project's code declares. */
export class RouteList {
  /** Replace the built-in routes whose actions begin with `replaced`. */
  readonly all: CodeRoute[] = [];
  readonly replaced: string[] = [];
  /** The plugins whose routes code has looked at. */
  private readonly shown = new Set<Extensions['all'][number]>();

  constructor(private readonly tools: () => RouteTools) {}

  /** `strapi.plugin(name).routes`, which code may change until the server listens. */
  show(read: Extensions['all'][number] | undefined): Values | undefined {
    if (read) this.shown.add(read);
    return read?.extended.routes;
  }

  /** Reads the routes of plugins again that code has seen since, and may have changed. */
  readShown(): void {
    for (const { uid, file, extended } of this.shown) {
      const others = this.all.filter((route) => route.file !== file);
      this.all.splice(0, this.all.length, ...others);
      this.addPlugin(extended, uid, file);
    }
  }

  addPlugin({ routers }: ExtendedPlugin, uid: string, file: string): void {
    this.replaced.push(`${uid}.`);
    for (const { prefix, routes } of routers())
      this.add(routes, {
        file,
        namespace: uid,
        prefix: String(prefix ?? `/${uid.slice('plugin::'.length)}`),
        outsidePrefix: false,
      });
  }

  /** The routes of the files of these types' APIs. As in Strapi, they come before those of plugins. */
  addRouters(routed: readonly ContentType[]): void {
    for (const type of routed) this.replaced.push(`${type.uid}.`);
    const tools = this.tools();
    this.all.unshift(...routersOf(tools.registry, routed, tools));
  }

  /** `strapi.server.routes`: a list, whose paths are complete, or a router. */
  addServerRoutes(given: unknown): void {
    const isList = Array.isArray(given);
    const { routes, prefix, type }: Values = isList ? { routes: given } : Object(given);
    if (!Array.isArray(routes)) throw new TypeError('strapi.server.routes: a list of routes');
    this.add(routes, {
      file: 'strapi.server.routes',
      namespace: null,
      prefix: typeof prefix === 'string' ? prefix : '',
      outsidePrefix: type !== 'content-api',
    });
  }

  private add(routes: readonly unknown[], at: DeclaredIn): void {
    this.all.push(...routes.flatMap((route) => routesOf(route, at, this.tools())));
  }
}

import { ConfigError } from '../config/error.js';
import type { Config } from '../config/types.js';
import type { AppEvent } from '../events/events.js';
import type { ContentType, Schema } from '../schema/types.js';
import { isObject } from '../values/plain-object.js';
import { reasonOf } from '../values/reason-of.js';
import { configOf, rawConfig } from './config.js';
import { Core } from './core.js';
import { entityServiceOf } from './entity-service.js';
import { asAnswer } from './errors.js';
import { createEventHub } from './event-hub.js';
import { extendedPlugin, type PluginRoutes } from './extension.js';
import { coreRoutes } from './factories.js';
import { cronOf, jobsOf, type StrapiJob } from './jobs.js';
import { createLifecycles } from './lifecycles.js';
import type { Live } from './live.js';
import { readyMiddleware } from './middlewares.js';
import { createModules, type LoadFile } from './modules.js';
import { pluginsOf } from './plugins.js';
import { queryOf } from './query.js';
import { Registry } from './registry.js';
import { type DeclaredIn, type RouteTools, routesOf } from './routes.js';
import { createStrapi } from './strapi.js';
import {
  type Closing,
  type CodeFile,
  type CodeRoute,
  type Handler,
  isCallable,
  type Values,
} from './types.js';
import { running, Unsupported } from './unsupported.js';

const pluginOf = (uid: string): string => uid.split('.')[0] ?? '';

interface Opened {
  readonly root: string;
  readonly schema: Schema;
  readonly config: Config;
  readonly files: readonly CodeFile[];
  /** The content types whose routes are those of the code. */
  readonly routed: readonly ContentType[];
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly pluginRoutes: PluginRoutes;
}

/** A middleware of the whole server, and where it runs. */
export interface GlobalMiddleware {
  readonly name: string;
  readonly place: 'first' | 'beforeRoutes';
  readonly handler: Handler;
}

/** The code of a Strapi project, loaded; it works once it is attached to an open database. */
export class StrapiCode {
  readonly strapi: Values;
  /** Replace the built-in routes whose actions begin with `replaced`. */
  readonly routes: CodeRoute[] = [];
  readonly replaced: string[] = [];
  readonly middlewares: GlobalMiddleware[] = [];
  /** What could not be loaded, with the routes that it closes. */
  readonly events: AppEvent[] = [];
  private readonly registry: Registry;
  private readonly tools: RouteTools;
  private readonly cron: ReturnType<typeof cronOf>;
  private readonly hub: ReturnType<typeof createEventHub>;
  private readonly lifecycles: ReturnType<typeof createLifecycles>;
  private readonly resolved = new Map<string, unknown>();
  private readonly extended = new Map<string, ReturnType<typeof extendedPlugin>>();
  private attached: Live | null = null;

  private constructor(
    private readonly opened: Opened,
    private readonly files: Values,
    private readonly load: LoadFile,
  ) {
    const { root, schema } = opened;
    this.registry = new Registry(opened.files);
    const live = (): Live => this.live();
    const core = new Core(schema, live, (uid) => Object(this.service(uid)));
    this.cron = cronOf(() => this.strapi);
    this.hub = createEventHub((event) => live().record(event));
    this.lifecycles = createLifecycles(live);
    const query = queryOf(live);
    const config = configOf(files);
    const plugin = pluginsOf({ live, query, config });
    this.strapi = createStrapi({
      root,
      registry: this.registry,
      config,
      core: () => core,
      live,
      hub: this.hub.hub,
      plugin,
      query,
      entityService: entityServiceOf(live, query),
      lifecycles: this.lifecycles.api,
      cron: this.cron.cron,
      server: {
        routes: (given: unknown) => this.addRoutes(given),
        use: (handler: Handler) =>
          void this.middlewares.push({
            name: 'strapi.server.use',
            place: 'beforeRoutes',
            handler: this.named('strapi.server.use', handler),
          }),
      },
      models: schema,
    });
    this.tools = {
      registry: this.registry,
      strapi: this.strapi,
      core,
      live,
      controller: (uid) =>
        this.extended.get(pluginOf(uid))?.controller(uid) ?? Object(this.strapi)['controller'](uid),
      isBuiltIn: (uid, action, controller) =>
        uid.startsWith('api::')
          ? core.isUntouched(uid, action, controller)
          : (this.extended.get(pluginOf(uid))?.isBuiltIn(uid, action) ?? true),
      resolved: (path) => this.resolved.get(path),
      builtIn: (uid, action) => this.builtIn(uid, action),
    };
  }

  /** Loads the code's files, without calling what they export except routers and extensions. */
  static async open(opened: Opened): Promise<StrapiCode> {
    const { root, config, schema, variables } = opened;
    const load = createModules(root, schema);
    const code = new StrapiCode(opened, await rawConfig(root, config.environment, variables), load);
    Object.assign(globalThis, { strapi: code.strapi });
    await code.registry.load(load);
    for (const { file, error } of code.registry.failures())
      code.events.push({ name: 'code-unreadable', file, reason: error.message });
    code.readExtensions();
    code.readRouters();
    return code;
  }

  get isAttached(): boolean {
    return this.attached !== null;
  }

  private live(): Live {
    if (!this.attached) throw new Error('The database is not open yet: use it in bootstrap, or in a request');
    return this.attached;
  }

  private service(uid: string): unknown {
    return Object(this.strapi)['service'](uid);
  }

  private builtIn(uid: string, action: string): string | null {
    const type = this.opened.schema.contentTypes.get(uid);
    if (type?.origin === 'api')
      return coreRoutes(type).some(({ name }) => name === action) ? `${uid}.${action}` : null;
    return this.opened.pluginRoutes.some((route) => route.action === `${uid}.${action}`)
      ? `${uid}.${action}`
      : null;
  }

  private readExtensions(): void {
    for (const { file, uid } of this.registry.of('extension')) {
      if (uid !== 'plugin::users-permissions') {
        this.stopFor(file, `${file}: only users-permissions can be extended`);
        continue;
      }
      const extended = this.guarded(file, () =>
        extendedPlugin(this.registry.value(file), this.opened.pluginRoutes, this.opened.schema),
      );
      if (!extended) continue;
      this.extended.set(uid, extended);
      this.replaced.push(`${uid}.`);
      const at: DeclaredIn = { file, namespace: uid, prefix: '', outsidePrefix: false };
      for (const route of extended.routes) this.routes.push(...routesOf(route, at, this.tools));
    }
    for (const { file } of this.registry.of('plugin'))
      this.stopFor(file, `${file}: plugins of the project are not run`);
  }

  private readRouters(): void {
    const { routed } = this.opened;
    for (const type of routed) this.replaced.push(`${type.uid}.`);
    const unknown = new Map<string, Closing>();
    for (const { file, uid } of this.registry.of('route')) {
      const namespace = uid.slice(0, uid.indexOf('.'));
      try {
        const value = this.registry.value(file);
        const router: unknown = isCallable(value) ? value({ strapi: this.strapi }) : value;
        const { routes, prefix }: Values = Array.isArray(router) ? { routes: router } : Object(router);
        // As in Strapi, a file without a list of routes declares none.
        if (!Array.isArray(routes)) continue;
        const at: DeclaredIn = {
          file,
          namespace,
          prefix: typeof prefix === 'string' ? prefix : '',
          outsidePrefix: false,
        };
        this.routes.push(...routes.flatMap((route: unknown) => routesOf(route, at, this.tools)));
      } catch (error) {
        const because = error instanceof Unsupported ? error.message : `${file}: ${reasonOf(error)}`;
        unknown.set(namespace, { file, because });
      }
    }
    // The routes of a router that could not be read are not known: the usual ones say why.
    for (const [namespace, closed] of unknown)
      for (const type of routed.filter(({ uid }) => uid.startsWith(`${namespace}.`)))
        for (const { name: _, ...route } of coreRoutes(type))
          for (const one of routesOf(
            route,
            { file: closed.file, namespace, prefix: '', outsidePrefix: false },
            this.tools,
          ))
            this.routes.push({ ...one, closed });
  }

  /** `strapi.server.routes`: a list, whose paths are complete, or a router. */
  private addRoutes(given: unknown): void {
    const isList = Array.isArray(given);
    const { routes, prefix, type }: Values = isList ? { routes: given } : Object(given);
    if (!Array.isArray(routes)) throw new TypeError('strapi.server.routes: a list of routes');
    const at: DeclaredIn = {
      file: 'strapi.server.routes',
      namespace: null,
      prefix: typeof prefix === 'string' ? prefix : '',
      outsidePrefix: type !== 'content-api',
    };
    this.routes.push(...routes.flatMap((route: unknown) => routesOf(route, at, this.tools)));
  }

  /** Makes the code work with an open project: hooks, lifecycles, `register`, global middlewares. */
  async attach(live: Live): Promise<void> {
    this.attached = live;
    const { registry, lifecycles, hub } = this;
    live.documents.useInside(lifecycles.middleware, lifecycles.concerns);
    live.documents.useInside(hub.middleware, hub.concerns);
    for (const { file, uid } of registry.of('lifecycles'))
      this.guarded(file, () => lifecycles.ofFile(uid, registry.value(file)));
    await this.prepareMiddlewares();
    for (const { file } of registry.of('index')) await this.runIndex(file, 'register');
  }

  /** Makes everything that requests need, without a database: what cannot be made, by file. */
  async inspect(): Promise<readonly Closing[]> {
    const problems: Closing[] = this.registry
      .failures()
      .map(({ file, error }) => ({ file, because: error.message }));
    const attempt = (file: string, make: () => unknown): void => {
      try {
        make();
      } catch (error) {
        problems.push({ file, because: reasonOf(error) });
      }
    };
    for (const kind of ['service', 'controller'] as const)
      for (const { file, uid } of this.registry.of(kind))
        if (!this.registry.errorOf(file)) attempt(file, () => this.registry.instance(kind, uid, this.strapi));
    for (const route of this.routes) {
      if (route.closed) problems.push({ ...route.closed });
      else attempt(route.file, () => route.handler());
    }
    await this.prepareMiddlewares().catch((error: unknown) =>
      problems.push({ file: 'config/middlewares', because: reasonOf(error) }),
    );
    return [...new Map(problems.map((one) => [one.because, one])).values()];
  }

  /** Closes the routes whose handlers, policies or middlewares do not exist, and says so. */
  private closeBroken(): void {
    const { record } = this.live();
    for (const { method, path, closed, handler, file } of this.routes) {
      const route = `${method.toUpperCase()} ${path}`;
      try {
        handler();
        if (closed) record({ name: 'route-closed', route, reason: closed.because });
      } catch (error) {
        record({ name: 'route-closed', route, reason: `${file}: ${reasonOf(error)}` });
      }
    }
  }

  /** For a start, for which the code may have changed: no route has asked for what is not supported. */
  async forgetUnsupported(): Promise<void> {
    await this.live().unsupported.clear();
  }

  /** What Strapi runs before it listens. */
  async bootstrap(): Promise<void> {
    for (const { file } of this.registry.of('index')) await this.runIndex(file, 'bootstrap');
    this.closeBroken();
  }

  async destroy(): Promise<void> {
    for (const { file } of this.registry.of('index')) await this.runIndex(file, 'destroy');
    if (Object.getOwnPropertyDescriptor(globalThis, 'strapi')?.value === this.strapi)
      Object.assign(globalThis, { strapi: undefined });
  }

  /** The scheduled jobs, if config/server switches them on, and those that code has added. */
  jobs(): Readonly<Record<string, StrapiJob>> {
    const server = isObject(this.files['server']) ? this.files['server'] : {};
    const { enabled, tasks } = isObject(server['cron']) ? server['cron'] : { enabled: false, tasks: {} };
    return { ...(enabled === true ? jobsOf(tasks, this.strapi) : {}), ...this.cron.take() };
  }

  private async runIndex(file: string, name: 'register' | 'bootstrap' | 'destroy'): Promise<void> {
    await this.guardedAsync(file, async () => {
      const value = this.registry.value(file);
      const run: unknown = Object(value)[name];
      if (isCallable(run)) await run.call(value, { strapi: this.strapi });
    });
  }

  private async prepareMiddlewares(): Promise<void> {
    const list = this.files['middlewares'];
    let place: GlobalMiddleware['place'] = 'first';
    for (const entry of Array.isArray(list) ? list : []) {
      const { name: given, resolve }: Values = isObject(entry) ? entry : { name: entry };
      if (typeof given === 'string' && given.startsWith('strapi::')) {
        if (given === 'strapi::query' || given === 'strapi::body') place = 'beforeRoutes';
        continue;
      }
      const name = String(typeof given === 'function' ? 'a function' : (given ?? resolve));
      await this.guardedAsync(name, async () => {
        if (typeof resolve === 'string') this.resolved.set(resolve, await this.load(resolve));
        const { registry, strapi } = this.tools;
        const handler = readyMiddleware(entry, {
          registry,
          strapi,
          api: null,
          resolved: this.tools.resolved,
        });
        this.middlewares.push({ name, place, handler: this.named(name, handler) });
      });
    }
  }

  /** A middleware that notes what it uses in vain, and throws as Strapi would answer. */
  private named(name: string, handler: Handler): Handler {
    return async (ctx, next) => {
      const request = running.getStore() ?? { ctx, unsupported: null };
      const act = async (): Promise<void> => {
        try {
          await handler(ctx, next);
        } catch (error) {
          throw asAnswer(error);
        }
      };
      await (running.getStore() ? act() : running.run(request, act));
      if (!request.unsupported) return;
      this.live().record({ name: 'route-unsupported', route: name, reason: request.unsupported.message });
      throw asAnswer(request.unsupported);
    };
  }

  private isIgnored(name: string): boolean {
    const { ignore } = this.opened.config.code;
    return ignore === true || ignore.includes(name);
  }

  private stopFor(name: string, because: string): void {
    if (this.isIgnored(name)) this.events.push({ name: 'code-ignored', file: name, reason: because });
    else
      throw new ConfigError([
        `${because}; to start without it, add ${JSON.stringify(name)} to code.ignore in config/api`,
      ]);
  }

  /** Runs what the whole server depends on: if it fails, the start fails, unless the operator ignores it by name. */
  private guarded<T>(name: string, run: () => T): T | null {
    try {
      return run();
    } catch (error) {
      this.stopFor(name, this.reason(name, error));
      return null;
    }
  }

  private async guardedAsync(name: string, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.stopFor(name, this.reason(name, error));
    }
  }

  private reason(name: string, error: unknown): string {
    const reason = reasonOf(error);
    return reason.startsWith(name) ? reason : `${name}: ${reason}`;
  }
}

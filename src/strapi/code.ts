import { ConfigError } from '../config/error.js';
import type { Config } from '../config/types.js';
import type { AppEvent } from '../events/events.js';
import type { SchemaFile } from '../schema/files/read.js';
import type { ContentType, Schema } from '../schema/types.js';
import { isObject, objectAt } from '../values/plain-object.js';
import { reasonOf } from '../values/reason-of.js';
import { hideAddedMembers } from './added-members.js';
import { configOf, rawConfig } from './config.js';
import { Core, liveNow } from './core.js';
import { entityServiceOf } from './entity-service.js';
import { createEventHub } from './event-hub.js';
import type { ExtendedPlugin, Hook, PluginRoutes } from './extension.js';
import { Extensions } from './extensions.js';
import { coreRoutes } from './factories.js';
import { type GlobalMiddleware, listedMiddlewares, recordingMiddleware } from './global-middlewares.js';
import { problemsOfCode } from './inspect.js';
import { installedPlugins } from './installed-plugins.js';
import { cronOf, jobsOf, type StrapiJob } from './jobs.js';
import { createLifecycles } from './lifecycles.js';
import type { Live } from './live.js';
import { readyMiddleware } from './middlewares.js';
import { createModules, type LoadFile } from './modules.js';
import { builtInServices } from './plugin-services.js';
import { ACCOUNTS, EXTENDABLE, isExtendable } from './plugin-uses.js';
import { pluginsOf } from './plugins.js';
import { queryOf } from './query.js';
import { Registry } from './registry.js';
import { routersOf } from './routers.js';
import { type DeclaredIn, type RouteTools, routesOf } from './routes.js';
import { showingOf } from './sanitize.js';
import { serverOf } from './server-api.js';
import { createStrapi } from './strapi.js';
import { tellClosed } from './tell-closed.js';
import { withinTransaction } from './transactions.js';
import {
  type Closing,
  type CodeFile,
  type CodeRoute,
  type Handler,
  isCallable,
  type Values,
} from './types.js';
import type { Unsupported } from './unsupported.js';

interface Opened {
  readonly root: string;
  readonly schema: Schema;
  /** The schema without what extensions add; absent: they add nothing. */
  readonly declared?: Schema;
  readonly config: Config;
  readonly files: readonly CodeFile[];
  /** The content types whose routes are those of the code. */
  readonly routed: readonly ContentType[];
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly pluginRoutes: PluginRoutes;
  /** Whether Strapi has a plugin in this project. */
  readonly isInstalled: (name: string) => boolean;
  /** The schema with what extensions add to the types of plugins. */
  readonly extended: (additions: readonly SchemaFile[]) => Promise<Schema>;
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
  private readonly tools: RouteTools;
  private readonly cron: ReturnType<typeof cronOf>;
  private readonly hub: ReturnType<typeof createEventHub>;
  private readonly lifecycles: ReturnType<typeof createLifecycles>;
  private readonly resolved = new Map<string, unknown>();
  /** The plugins whose routes code has looked at. */
  private readonly shown = new Set<Extensions['all'][number]>();
  private readonly extensions: Extensions;
  /** What the code has said about the server. */
  readonly server: ReturnType<typeof serverOf>;
  private attached: Live | null = null;

  private constructor(
    private readonly opened: Opened,
    private readonly files: Values,
    private readonly load: LoadFile,
    private readonly registry: Registry,
  ) {
    const { root, schema } = opened;
    this.server = serverOf({
      proxy: opened.config.server.proxy,
      routes: (given) => this.addRoutes(given),
      use: (name, handler) =>
        void this.middlewares.push({ name, place: 'beforeRoutes', handler: this.recording(name, handler) }),
    });
    const live = (): Live => this.live();
    const core = new Core(schema, live, (uid) => Object(this.service(uid)));
    this.cron = cronOf(() => this.strapi);
    this.hub = createEventHub((event) => live().record(event));
    this.lifecycles = createLifecycles(live);
    const query = queryOf(live, this.lifecycles.hooked);
    const config = configOf(files, opened.config);
    const builtIn = builtInServices({
      live,
      query,
      closed: (action) => this.closedFor(action),
      routes: () => this.routes,
    });
    this.extensions = new Extensions({
      registry: this.registry,
      rows: opened.pluginRoutes,
      schema: opened.declared ?? schema,
      strapi: () => this.strapi,
      builtIn,
      live,
    });
    const plugin = pluginsOf({
      live,
      config,
      builtIn,
      isInstalled: opened.isInstalled,
      extended: this.registry,
      routes: (uid) => this.routesOfPlugin(uid),
      strapi: () => this.strapi,
    });
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
      server: this.server.api,
      models: schema,
    });
    this.tools = {
      registry: this.registry,
      strapi: this.strapi,
      core,
      live,
      controller: (uid) => Object(this.strapi)['controller'](uid),
      isBuiltIn: (uid, action, controller) =>
        uid.startsWith('api::')
          ? core.isUntouched(uid, action, controller)
          : this.extensions.isBuiltIn(uid, action, controller),
      loadsUser: () => this.extensions.loadsUser(),
      resolved: (path) => this.resolved.get(path),
      builtIn: (uid, action) => this.builtIn(uid, action),
    };
  }

  /** Loads the code's files, without calling what they export except routers and extensions. */
  static async open(given: Omit<Opened, 'isInstalled'>): Promise<StrapiCode> {
    const { root, config, schema, variables, files } = given;
    const load = createModules(root, schema);
    const values = await rawConfig(root, config.environment, variables);
    const opened: Opened = { ...given, isInstalled: await installedPlugins(root, values) };
    const registry = new Registry(files);
    const first = new StrapiCode(opened, values, load, registry);
    Object.assign(globalThis, { strapi: first.strapi });
    await registry.load(load);
    hideAddedMembers();
    await first.read();
    const additions = first.extensions.all.flatMap(({ extended }) => extended.additions);
    if (additions.length === 0) return first;
    const again = { ...opened, declared: schema, schema: await opened.extended(additions) };
    const code = new StrapiCode(again, values, load, new Registry(files, registry));
    Object.assign(globalThis, { strapi: code.strapi });
    await code.read();
    return code;
  }

  private async read(): Promise<void> {
    for (const { file, error } of this.registry.failures())
      this.events.push({ name: 'code-unreadable', file, reason: error.message });
    await this.readExtensions();
    this.readRouters();
  }

  /** The schema with what extensions added to it. */
  get schema(): Schema {
    return this.opened.schema;
  }

  /** What cookies are signed with; empty: none are. */
  get keys(): readonly string[] {
    const { keys } = objectAt(objectAt(this.files['server'])['app']);
    return Array.isArray(keys) ? keys.map(String) : [];
  }

  get isAttached(): boolean {
    return this.attached !== null;
  }

  private live(): Live {
    if (!this.attached) throw new Error('The database is not open yet: use it in bootstrap, or in a request');
    return withinTransaction(liveNow(this.attached));
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

  private async readExtensions(): Promise<void> {
    for (const { file, uid } of this.registry.of('extension')) {
      if (!isExtendable(uid)) {
        this.events.push({ name: 'extension-left-out', file, uid });
        continue;
      }
      await this.guarded(file, async () => this.addRouters(await this.extensions.read(file, uid), uid, file));
    }
    const extended = new Set(this.extensions.all.map(({ uid }) => uid));
    for (const uid of EXTENDABLE.filter((one) => !extended.has(one))) {
      const plugin = await this.extensions.read(uid, uid);
      // Lifecycles of accounts run in its routes.
      if (uid === ACCOUNTS) this.addRouters(plugin, uid, uid);
    }
    for (const { file } of this.registry.of('plugin'))
      this.stopFor(file, `${file}: plugins of the project are not run`);
  }

  /** `strapi.plugin(name).routes`, which code may change until the server listens. */
  private routesOfPlugin(uid: string): Values | undefined {
    const read = this.extensions.all.find((one) => one.uid === uid);
    if (read) this.shown.add(read);
    return read?.extended.routes;
  }

  /** Reads the routes of plugins again that code has seen since, and may have changed. */
  private readShownRoutes(): void {
    for (const { uid, file, extended } of this.shown) {
      const others = this.routes.filter((route) => route.file !== file);
      this.routes.splice(0, this.routes.length, ...others);
      this.addRouters(extended, uid, file);
    }
  }

  private addRouters({ routers }: ExtendedPlugin, uid: string, file: string): void {
    this.replaced.push(`${uid}.`);
    for (const { prefix, routes } of routers()) {
      const at: DeclaredIn = {
        file,
        namespace: uid,
        prefix: String(prefix ?? `/${uid.slice('plugin::'.length)}`),
        outsidePrefix: false,
      };
      this.routes.push(...routes.flatMap((route) => routesOf(route, at, this.tools)));
    }
  }

  private readRouters(): void {
    for (const type of this.opened.routed) this.replaced.push(`${type.uid}.`);
    this.routes.push(...routersOf(this.registry, this.opened.routed, this.tools));
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
    live.documents.showThrough(showingOf(live));
    live.documents.useInside(lifecycles.middleware, lifecycles.concerns);
    live.documents.useInside(hub.middleware, hub.concerns);
    for (const { file, uid } of registry.of('lifecycles'))
      await this.guarded(file, async () => lifecycles.ofFile(uid, registry.value(file)));
    for (const [uid, given] of this.extensions.lifecycles) lifecycles.ofFile(uid, given);
    await this.prepareMiddlewares();
    await this.runAll('register');
    this.readShownRoutes();
  }

  /** Why a built-in action is not answered: an extension changed what it uses in Strapi. */
  closedFor(action: string): Unsupported | null {
    return this.extensions.closed(action);
  }

  /** Makes everything that requests need, without a database: what cannot be made, by file. */
  async inspect(): Promise<readonly Closing[]> {
    const problems = problemsOfCode(this.registry, this.strapi, this.routes);
    await this.prepareMiddlewares().catch((error: unknown) =>
      problems.push({ file: 'config/middlewares', because: reasonOf(error) }),
    );
    return [...new Map(problems.map((one) => [one.because, one])).values()];
  }

  /** For a start, for which the code may have changed: no route has asked for what is not supported. */
  async forgetUnsupported(): Promise<void> {
    await this.live().unsupported.clear();
  }

  /** What Strapi runs before it listens. */
  async bootstrap(): Promise<void> {
    await this.runAll('bootstrap');
    const { pluginRoutes } = this.opened;
    await tellClosed(this.live(), this.routes, pluginRoutes, (action) => this.closedFor(action));
  }

  async destroy(): Promise<void> {
    await this.runAll('destroy');
    if (Object.getOwnPropertyDescriptor(globalThis, 'strapi')?.value === this.strapi)
      Object.assign(globalThis, { strapi: undefined });
  }

  /** The scheduled jobs, if config/server switches them on, and those that code has added. */
  jobs(): Readonly<Record<string, StrapiJob>> {
    const server = isObject(this.files['server']) ? this.files['server'] : {};
    const { enabled, tasks } = isObject(server['cron']) ? server['cron'] : { enabled: false, tasks: {} };
    return { ...(enabled === true ? jobsOf(tasks, this.strapi) : {}), ...this.cron.take() };
  }

  /** Runs a hook of the plugins, then that of the project. */
  private async runAll(name: Hook): Promise<void> {
    for (const { file, extended } of this.extensions.all)
      await this.guarded(file, async () => void (await extended.hook(name)?.({ strapi: this.strapi })));
    for (const { file } of this.registry.of('index'))
      await this.guarded(file, async () => {
        const value = this.registry.value(file);
        const run: unknown = Object(value)[name];
        if (isCallable(run)) await run.call(value, { strapi: this.strapi });
      });
  }

  private async prepareMiddlewares(): Promise<void> {
    for (const { entry, name, resolve, place } of listedMiddlewares(this.files['middlewares']))
      await this.guarded(name, async () => {
        if (resolve !== null) this.resolved.set(resolve, await this.load(resolve));
        const handler = readyMiddleware(entry, { ...this.tools, api: null });
        this.middlewares.push({ name, place, handler: this.recording(name, handler) });
      });
  }

  private recording(name: string, handler: Handler): Handler {
    return recordingMiddleware(name, handler, () => this.live());
  }

  private stopFor(name: string, because: string): void {
    const { ignore } = this.opened.config.code;
    if (ignore === true || ignore.includes(name))
      this.events.push({ name: 'code-ignored', file: name, reason: because });
    else
      throw new ConfigError([
        `${because}; to start without it, add ${JSON.stringify(name)} to code.ignore in config/api`,
      ]);
  }

  /** Runs what the whole server depends on: if it fails, the start fails, unless the operator ignores it by name. */
  private async guarded(name: string, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.stopFor(name, this.reason(name, error));
    } finally {
      hideAddedMembers();
    }
  }

  private reason(name: string, error: unknown): string {
    const reason = reasonOf(error);
    return reason.startsWith(name) ? reason : `${name}: ${reason}`;
  }
}

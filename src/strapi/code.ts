import { ConfigError } from '../config/error.js';
import type { Config } from '../config/types.js';
import type { DocumentMiddleware } from '../documents/middleware.js';
import type { ProjectLogger } from '../events/event-log.js';
import type { AppEvent } from '../events/events.js';
import type { SchemaFile } from '../schema/files/read.js';
import type { FromCode } from '../schema/load.js';
import type { ContentType, Schema } from '../schema/types.js';
import { isObject, objectAt } from '../values/plain-object.js';
import { reasonOf } from '../values/reason-of.js';
import { hideAddedMembers } from './added-members.js';
import { CodeSchema } from './code-schema.js';
import { configOf, rawConfig } from './config.js';
import { Core } from './core.js';
import { entityServiceOf } from './entity-service.js';
import { createEventHub } from './event-hub.js';
import type { Hook, PluginRoutes } from './extension.js';
import { Extensions } from './extensions.js';
import { coreRoutes } from './factories.js';
import { type GlobalMiddleware, listedMiddlewares, recordingMiddleware } from './global-middlewares.js';
import { problemsOfCode } from './inspect.js';
import { installedPlugins } from './installed-plugins.js';
import { cronOf, jobsOf, type StrapiJob } from './jobs.js';
import { Lifecycles } from './lifecycles.js';
import type { Live } from './live.js';
import { adminRoutes } from './local-plugins.js';
import { readyMiddleware } from './middlewares.js';
import { createModules, type LoadFile } from './modules.js';
import { builtInServices } from './plugin-services.js';
import { ACCOUNTS, EXTENDABLE, isExtendable } from './plugin-uses.js';
import { pluginsOf } from './plugins.js';
import { queryOf } from './query.js';
import { Registry } from './registry.js';
import { liveNow } from './request-parts.js';
import { RouteList } from './route-list.js';
import type { RouteTools } from './routes.js';
import { showingOf } from './sanitize.js';
import { serverOf } from './server-api.js';
import { createStrapi } from './strapi.js';
import { tellClosed } from './tell-closed.js';
import { withinTransaction } from './transactions.js';
import {
  type Callable,
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
  /** What extensions add to the types of plugins. */
  readonly additions?: readonly SchemaFile[];
  /** The schema with what code makes of it. */
  readonly extended: (given: FromCode) => Promise<Schema>;
}

/** The code of a Strapi project, loaded; it works once it is attached to an open database. */
export class StrapiCode {
  readonly strapi: Values;
  readonly middlewares: GlobalMiddleware[] = [];
  /** What could not be loaded, with the routes that it closes. */
  readonly events: AppEvent[] = [];
  private readonly tools: RouteTools;
  private readonly cron: ReturnType<typeof cronOf>;
  private readonly hub: ReturnType<typeof createEventHub>;
  private readonly lifecycles: Lifecycles;
  private readonly resolved = new Map<string, unknown>();
  private readonly list = new RouteList(() => this.tools);
  private readonly extensions: Extensions;
  private readonly described: CodeSchema;
  /** Document middlewares that `register` has added: they wait for the database. */
  private readonly waiting: DocumentMiddleware[] = [];
  private logger: ProjectLogger | null = null;
  /** What the code has said about the server. */
  readonly server: ReturnType<typeof serverOf>;
  private attached: Live | null = null;

  private constructor(
    private readonly opened: Opened,
    private readonly files: Values,
    private readonly load: LoadFile,
    private readonly registry: Registry,
  ) {
    const { root, schema, additions = [], extended } = opened;
    this.server = serverOf({
      proxy: opened.config.server.proxy,
      routes: (given) => this.list.addServerRoutes(given),
      // As in Strapi, those of `register` come before the ones of config/middlewares.
      use: (name, handler) => {
        const place = this.attached ? 'beforeRoutes' : 'first';
        this.middlewares.push({ name, place, handler: this.recording(name, handler) });
      },
    });
    const live = (): Live => this.live();
    const record = (event: AppEvent): void =>
      this.attached ? live().record(event) : void this.events.push(event);
    const lifecycles = new Lifecycles(live, record);
    this.lifecycles = lifecycles;
    this.described = new CodeSchema(schema, { additions, extended, lifecycles: lifecycles.ofFile });
    const { models } = this.described;
    const core = new Core(
      () => this.schema,
      live,
      (uid) => Object(this.service(uid)),
    );
    this.cron = cronOf(() => this.strapi);
    this.hub = createEventHub(record);
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
      config,
    });
    const plugin = pluginsOf({
      models,
      config,
      builtIn,
      isInstalled: opened.isInstalled,
      extended: this.registry,
      routes: (uid) => this.list.show(this.extensions.all.find((one) => one.uid === uid)),
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
      models,
      logger: () => this.logger ?? live().logger,
      useAround: (middleware) =>
        this.attached ? live().documents.useAround(middleware) : void this.waiting.push(middleware),
    });
    this.tools = {
      registry: this.registry,
      strapi: this.strapi,
      core,
      live,
      controller: (uid) => Object(this.strapi)['controller'](uid),
      isBuiltIn: (uid, action, controller) =>
        this.schema.contentTypes.get(uid)?.origin === 'api'
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
    const values = await rawConfig(root, config.environment, variables);
    let known = schema;
    const load = createModules(root, () => known);
    const opened: Opened = { ...given, isInstalled: await installedPlugins(root, values) };
    const registry = new Registry(files);
    const first = new StrapiCode(opened, values, load, registry);
    Object.assign(globalThis, { strapi: first.strapi });
    await registry.load(load);
    hideAddedMembers();
    await first.readExtensions();
    const additions = first.extensions.all.flatMap(({ extended }) => extended.additions);
    if (additions.length === 0) return await first.readRoutes();
    const extended = await opened.extended({ additions, changes: [] });
    known = extended;
    const again = { ...opened, declared: schema, schema: extended, additions };
    const code = new StrapiCode(again, values, load, new Registry(files, registry));
    Object.assign(globalThis, { strapi: code.strapi });
    await code.readExtensions();
    return await code.readRoutes();
  }

  private async readRoutes(): Promise<this> {
    // The built-in routes of an untouched plugin answer themselves, but lifecycles of accounts run in theirs.
    for (const { file, uid, extended } of this.extensions.all)
      if (file !== uid || uid === ACCOUNTS)
        await this.guarded(file, async () => {
          this.list.addPlugin(extended, uid, file);
          const count = adminRoutes(extended, this.strapi);
          if (count > 0) this.events.push({ name: 'admin-routes-left-out', plugin: uid, count });
        });
    this.list.addRouters(this.opened.routed);
    return this;
  }

  get routes(): readonly CodeRoute[] {
    return this.list.all;
  }

  /** The built-in routes whose actions begin like this are not served. */
  get replaced(): readonly string[] {
    return this.list.replaced;
  }

  /** The schema with what extensions and `register` made of it. */
  get schema(): Schema {
    return this.described.now;
  }

  /** What they made of it. */
  get made(): FromCode {
    return this.described.given;
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
    const type = this.schema.contentTypes.get(uid);
    if (type?.origin === 'api')
      return coreRoutes(type).some(({ name }) => name === action) ? `${uid}.${action}` : null;
    return this.opened.pluginRoutes.some((route) => route.action === `${uid}.${action}`)
      ? `${uid}.${action}`
      : null;
  }

  private async readExtensions(): Promise<void> {
    for (const { file, error } of this.registry.failures())
      this.events.push({ name: 'code-unreadable', file, reason: error.message });
    for (const { file, uid } of this.registry.of('extension')) {
      if (!isExtendable(uid)) {
        if (!this.registry.find('plugin', uid)) this.events.push({ name: 'extension-left-out', file, uid });
        continue;
      }
      await this.guarded(file, () => this.extensions.read(file, uid));
    }
    const extended = new Set(this.extensions.all.map(({ uid }) => uid));
    for (const uid of EXTENDABLE.filter((one) => !extended.has(one))) await this.extensions.read(uid, uid);
    for (const plugin of this.registry.of('plugin'))
      await this.guarded(plugin.file, () => this.extensions.readLocal(plugin));
  }

  /** What Strapi runs before it opens the database: lifecycles are known, and `register` may change the schema. */
  async register(logger: ProjectLogger): Promise<void> {
    this.logger = logger;
    const { registry, lifecycles } = this;
    for (const { file, uid } of registry.of('lifecycles'))
      await this.guarded(file, async () => lifecycles.ofFile(uid, registry.value(file)));
    for (const [uid, given] of this.extensions.lifecycles) lifecycles.ofFile(uid, given);
    await this.runAll('register', (file) => this.described.takeChanges(file));
    this.list.readShown();
  }

  /** Makes the code work with an open project: document middlewares, lifecycles, global middlewares. */
  async attach(live: Live): Promise<void> {
    this.attached = live;
    const { lifecycles, hub } = this;
    live.documents.showThrough(showingOf(live));
    live.documents.useInside(lifecycles.middleware, lifecycles.concerns);
    live.documents.useInside(hub.middleware, hub.concerns);
    for (const middleware of this.waiting) live.documents.useAround(middleware);
    await this.prepareMiddlewares();
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
    await this.runAll('bootstrap', () => this.described.refuseChanges('bootstrap'));
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

  /** Runs a hook of the plugins, of the APIs, then that of the project. @param then called after each that there is */
  private async runAll(name: Hook, then?: (file: string) => unknown): Promise<void> {
    const { strapi, registry } = this;
    const run = (file: string, hook: () => Callable | null): Promise<void> =>
      this.guarded(file, async () => {
        await hook()?.({ strapi });
        await then?.(file);
      });
    for (const { file, extended } of this.extensions.all) await run(file, () => extended.hook(name));
    for (const { file } of registry.of('index'))
      await run(file, () => {
        const value = registry.value(file);
        const hook: unknown = Object(value)[name];
        return isCallable(hook) ? hook.bind(value) : null;
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
  private async guarded(name: string, run: () => Promise<unknown>): Promise<void> {
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

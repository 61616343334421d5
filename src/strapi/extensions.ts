import type { Schema } from '../schema/types.js';
import { once } from '../values/once-per.js';
import { isPlainObject } from '../values/plain-object.js';
import { type ExtendedPlugin, extendedPlugin, type PluginRoutes } from './extension.js';
import type { Live } from './live.js';
import { localPlugin, readyPlugin } from './local-plugins.js';
import type { BuiltInServices } from './plugin-services.js';
import { ACCOUNTS, ACTIONS_OF_METHOD, isUsedBy, USED_BY } from './plugin-uses.js';
import { rateLimit } from './rate-limit.js';
import type { Registry } from './registry.js';
import { type CodeContext, type CodeFile, isCallable, type Values } from './types.js';
import { refuse, Unsupported, withRefused } from './unsupported.js';
import { uploadController } from './upload-controller.js';

interface Around {
  readonly registry: Registry;
  readonly rows: PluginRoutes;
  readonly schema: Schema;
  readonly strapi: () => object;
  readonly builtIn: BuiltInServices;
  readonly live: () => Live;
  /** `strapi.config`. */
  readonly config: Values;
}

interface Read {
  readonly file: string;
  readonly uid: string;
  readonly extended: ExtendedPlugin;
}

/** The method of the service of accounts that loads who has signed in. */
const LOADS_USER = 'fetchAuthenticatedUser';

const UPLOADS = 'plugin::upload.content-api.';

const nameOf = (uid: string): string => uid.slice('plugin::'.length);

/** The extensions of plugins, and what they change of the built-in routes. */
export class Extensions {
  private readonly list: Read[] = [];
  private readonly uploads: ReturnType<typeof uploadController>;

  constructor(private readonly around: Around) {
    this.uploads = uploadController(around.live, () => Object(this.uploadService()));
  }

  get all(): readonly Read[] {
    return this.list;
  }

  get lifecycles(): ExtendedPlugin['lifecycles'] {
    return this.list.flatMap(({ extended }) => extended.lifecycles);
  }

  /** Calls an extension and registers what it made. @throws Unsupported if more than some routes depend on what it changed */
  async read(file: string, uid: string): Promise<void> {
    const { registry, rows, schema, strapi, builtIn } = this.around;
    const name = nameOf(uid);
    const extended = await extendedPlugin(registry.value(file), {
      name,
      file,
      rows,
      schema,
      strapi: strapi(),
      services: builtIn(name) ?? {},
      middlewares: uid === ACCOUNTS ? { rateLimit: rateLimit(this.around.live) } : {},
      instead: (action) => this.instead(action),
    });
    this.take(file, uid, extended);
  }

  /** Takes a plugin of the project, with what an extension makes of it. @throws what its code throws */
  async readLocal(plugin: CodeFile): Promise<void> {
    const { registry, strapi, config } = this.around;
    const given = readyPlugin(registry.value(plugin.file), plugin.uid, config);
    const extension = registry.find('extension', plugin.uid);
    const extend = extension && registry.value(extension.file);
    const made: unknown = isCallable(extend) ? await extend(given) : given;
    this.take(plugin.file, plugin.uid, localPlugin(Object(made), plugin, strapi()));
  }

  /** Registers what a plugin is made of. @throws Unsupported if more than some routes depend on what it changed */
  private take(file: string, uid: string, extended: ExtendedPlugin): void {
    const { registry } = this.around;
    const name = nameOf(uid);
    for (const service of Object.keys(extended.services))
      if (USED_BY[name]?.[service] === null) refuse(changeOf(name, service));
    for (const [one, value] of Object.entries(extended.services))
      registry.provide('service', `${uid}.${one}`, serviceOf(name, one, value), file);
    for (const kind of ['controller', 'policy', 'middleware'] as const)
      for (const [one, value] of Object.entries(extended[PARTS[kind]]))
        registry.provide(kind, `${uid}.${one}`, value, file);
    this.list.push({ file, uid, extended });
  }

  isBuiltIn(uid: string, action: string, controller: Values): boolean {
    const read = this.list.find((one) => uid.startsWith(`${one.uid}.`));
    return read ? read.extended.isBuiltIn(uid, action, controller) : true;
  }

  /** Why a built-in action, and a method that stands for one, is closed: an extension changed what it uses in Strapi. */
  closed(action: string): Unsupported | null {
    for (const { uid, extended } of this.list)
      for (const service of Object.keys(extended.services))
        if (isUsedBy(action, USED_BY[nameOf(uid)]?.[service] ?? []) && this.isUsed(uid, service))
          return new Unsupported(`strapi.${changeOf(nameOf(uid), service)}`);
    return null;
  }

  /** Whether built-in actions would miss what an extension changed of a service. */
  private isUsed(uid: string, service: string): boolean {
    if (uid !== ACCOUNTS || service !== 'user') return true;
    return this.changedOf(service).some((name) => name !== LOADS_USER);
  }

  /** What loads `ctx.state.user` if an extension changed it. */
  readonly loadsUser = once((): ((id: number) => unknown) | null => {
    if (!this.changedOf('user').includes(LOADS_USER)) return null;
    const service = Object(this.service(`${ACCOUNTS}.user`));
    return (id) => service[LOADS_USER](id);
  });

  private service(uid: string): unknown {
    const { registry, strapi } = this.around;
    return registry.instance('service', uid, strapi());
  }

  /** The methods of a service of accounts that an extension changed. */
  private changedOf(service: string): readonly string[] {
    const own = this.around.builtIn(nameOf(ACCOUNTS))?.[service];
    const now = this.service(`${ACCOUNTS}.${service}`);
    if (now === undefined) return [];
    return Object.keys(Object(own)).filter(
      (name) => !(name in Object(now)) || Object(now)[name] !== Object(own)[name],
    );
  }

  private uploadService(): unknown {
    return this.service('plugin::upload.upload');
  }

  /** Upload routes run on the service if an extension changed a method that they call. */
  private instead(action: string): ((ctx: CodeContext) => unknown) | null {
    const name = action.slice(UPLOADS.length);
    const run = action.startsWith(UPLOADS) ? this.uploads[name] : undefined;
    if (!run) return null;
    const service = this.uploadService();
    if (service === undefined) return null;
    const own = this.around.builtIn('upload')?.['upload'];
    const isChanged = Object.entries(ACTIONS_OF_METHOD).some(
      ([method, actions]: readonly [string, readonly string[]]) =>
        actions.includes(action) && Object(service)[method] !== Object(own)[method],
    );
    return isChanged ? run : null;
  }
}

const PARTS = { controller: 'controllers', policy: 'policies', middleware: 'middlewares' } as const;

const changeOf = (plugin: string, service: string): string =>
  `plugin('${plugin}').service('${service}') of an extension`;

/** A service that an extension changed, whose missing methods throw like those of the plugin's own. */
const serviceOf =
  (plugin: string, name: string, value: unknown) =>
  ({ strapi }: { readonly strapi: object }): unknown => {
    const made: unknown = isCallable(value) ? value({ strapi }) : value;
    const isOfStrapi = Object.hasOwn(USED_BY[plugin] ?? {}, name);
    return isOfStrapi && isPlainObject(made)
      ? withRefused<Values>(`plugin('${plugin}').service('${name}')`, made, 'all')
      : made;
  };

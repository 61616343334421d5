import type { SchemaFile } from '../schema/files/read.js';
import type { ContentType, Schema } from '../schema/types.js';
import { ROLE_UID } from '../schema/uids.js';
import { isObject, objectAt, type PlainObject } from '../values/plain-object.js';
import { describeModel } from './models.js';
import { USED_BY } from './plugin-uses.js';
import { partsOf } from './request-parts.js';
import { additionTo, changedModel } from './schema-changes.js';
import { type Callable, type CodeContext, isCallable, type Values } from './types.js';
import { refuse } from './unsupported.js';

/** The built-in routes of plugins: an extension may change them. */
export type PluginRoutes = readonly {
  readonly method: string;
  readonly path: string;
  readonly action: string | null;
}[];

/** What runs when the server starts and when it stops. */
export type Hook = 'register' | 'bootstrap' | 'destroy';

/** Controllers that are made by a factory in Strapi. */
const FACTORIES: ReadonlySet<string> = new Set(['auth', 'content-api']);

type Method = (ctx: CodeContext) => unknown;

interface Given {
  /** The plugin's name in Strapi. */
  readonly name: string;
  /** The file of the extension. */
  readonly file: string;
  readonly rows: PluginRoutes;
  /** As the schema files declare it. */
  readonly schema: Schema;
  readonly strapi: object;
  /** Mangrove's own services of the plugin, by name. */
  readonly services: Values;
  /** Mangrove's own middlewares of the plugin, by name. */
  readonly middlewares: Values;
  /** What answers an action instead of the built-in controller; null: that one does. */
  readonly instead: (action: string) => Method | null;
}

interface PluginRouter {
  readonly type: unknown;
  readonly prefix: unknown;
  readonly routes: readonly unknown[];
}

/** The routers of a plugin. */
export const routersIn = (routes: PlainObject, strapi: object): readonly PluginRouter[] =>
  Object.values(routes).flatMap((value) => {
    const router: unknown = isCallable(value) ? value({ strapi }) : value;
    const { type, prefix, routes: list }: Values = { ...objectAt(router) };
    return Array.isArray(list) ? [{ type, prefix, routes: list }] : [];
  });

/** What `src/extensions/<plugin>/strapi-server` made of the plugin that it received. */
export interface ExtendedPlugin {
  /** As `strapi.plugin(name).routes` shows them: `register` may change them, too. */
  readonly routes: Values;
  /** Those whose routes are served. */
  routers(): readonly PluginRouter[];
  readonly controllers: Values;
  /** Those that were changed or added. */
  readonly services: Values;
  readonly policies: Values;
  readonly middlewares: Values;
  /** Lifecycles by the uid of their content type. */
  readonly lifecycles: readonly (readonly [uid: string, given: unknown])[];
  /** What it added to content types. */
  readonly additions: readonly SchemaFile[];
  hook(name: Hook): Callable | null;
  /** Whether an action is answered by the built-in controller. */
  isBuiltIn(uid: string, action: string, controller: Values): boolean;
}

/** Calls an extension with the plugin as Mangrove has it. @throws Unsupported if it changes content types in another way than by adding to them */
export async function extendedPlugin(extension: unknown, given: Given): Promise<ExtendedPlugin> {
  const { name: plugin, strapi } = given;
  const uid = `plugin::${plugin}`;
  const { controllers, routes, original } = builtInParts(given);
  const contentTypes = typesOf(given);
  const before: unknown = JSON.parse(JSON.stringify(contentTypes));
  // As in Strapi, each call makes a service: changing one that is not assigned changes nothing.
  const services = Object.fromEntries(
    Object.keys(USED_BY[plugin] ?? {}).map((name) => {
      const own = given.services[name];
      return [
        name,
        own === undefined ? absent(`plugin('${plugin}').service('${name}')`) : () => ({ ...objectAt(own) }),
      ];
    }),
  );
  const unchanged = { ...services };
  const nothing = (): void => undefined;
  const received: Values = {
    controllers,
    contentTypes,
    routes: { 'content-api': routes, admin: { type: 'admin', routes: [] } },
    services,
    policies: {},
    middlewares: { ...given.middlewares },
    config: {},
    register: nothing,
    bootstrap: nothing,
    destroy: nothing,
  };
  const made: unknown = isCallable(extension) ? await extension(received) : received;
  const result = isObject(made) ? made : received;
  const isChanged = ([name, value]: readonly [string, unknown]): boolean =>
    value !== unchanged[name] ||
    (given.services[name] === undefined && Object.keys(Object(value)).length > 0);
  const contentTypesNow = objectAt(result['contentTypes']);
  const routesNow = isObject(result['routes']) ? result['routes'] : {};
  return {
    routes: routesNow,
    routers: () => routersIn(routesNow, strapi).filter(({ type }) => type === 'content-api'),
    controllers: { ...objectAt(result['controllers']) },
    services: Object.fromEntries(Object.entries(objectAt(result['services'])).filter(isChanged)),
    policies: { ...objectAt(result['policies']) },
    middlewares: { ...objectAt(result['middlewares']) },
    lifecycles: lifecyclesOf(contentTypesNow, given),
    additions: additionsTo(objectAt(before), contentTypesNow, given),
    hook(name) {
      const hook = result[name];
      return isCallable(hook) && hook !== nothing ? hook.bind(result) : null;
    },
    isBuiltIn(controller, action, methods) {
      const handler = `${controller.slice(uid.length + 1)}.${action}`;
      return methods[action] === original.get(handler) && given.instead(`${uid}.${handler}`) === null;
    },
  };
}

/** Controllers that only Strapi's admin panel uses. */
const OF_PANEL: Readonly<Record<string, readonly string[]>> = {
  'users-permissions': ['contentmanageruser', 'permissions', 'settings'],
  upload: ['admin-file', 'admin-folder', 'admin-folder-file', 'admin-settings', 'admin-upload'],
};

/** The controllers and the router that stand for the built-in routes. */
function builtInParts({ name: plugin, rows, instead }: Given) {
  const uid = `plugin::${plugin}.`;
  // Strapi declares the paths of users-permissions as they are, and those of others below the plugin's name.
  const isWhole = plugin === 'users-permissions';
  const methodsOf: Record<string, Record<string, Method>> = {};
  const original = new Map<string, Method>();
  const list = rows.flatMap(({ method, path, action }): Values[] => {
    if (!action?.startsWith(uid)) return [];
    const handler = action.slice(uid.length);
    const [controller = '', name = ''] = handler.split('.');
    const run = (ctx: CodeContext): unknown => {
      const other = instead(action);
      return other ? other(ctx) : partsOf(ctx).builtIn(action);
    };
    const methods = methodsOf[controller] ?? {};
    methodsOf[controller] = methods;
    methods[name] ??= run;
    original.set(handler, methods[name]);
    const below = path.slice(plugin.length + 1);
    return [
      {
        method: method.toUpperCase(),
        path: isWhole ? path : below || '/',
        handler,
        config: isWhole ? { prefix: '' } : {},
      },
    ];
  });
  const controllers: Values = {};
  for (const name of OF_PANEL[plugin] ?? [])
    controllers[name] = absent(`plugin('${plugin}').controller('${name}')`);
  for (const [name, methods] of Object.entries(methodsOf))
    controllers[name] = FACTORIES.has(name) ? () => methods : methods;
  // As in Strapi: a function that makes the router, whose routes may be changed before.
  const routes = Object.assign(() => ({ type: 'content-api', routes: routes.routes }), { routes: list });
  return { controllers, routes, original };
}

/** A service or controller that Mangrove does not have: an extension may wrap its methods, and calling one is refused. */
function absent(path: string): unknown {
  const service: object = new Proxy(() => service, {
    get(target, name, receiver) {
      if (typeof name === 'symbol' || name in target) return Reflect.get(target, name, receiver);
      return () => refuse(`${path}.${name}`);
    },
  });
  return service;
}

const typesIn = ({ name, schema }: Pick<Given, 'name' | 'schema'>): readonly ContentType[] =>
  [...schema.contentTypes.values()].filter(({ uid }) => uid.startsWith(`plugin::${name}.`));

/** The plugin's content types, in copies that may be changed. */
const typesOf = (given: Given): Values =>
  Object.fromEntries(
    typesIn(given).map((type) => {
      const schema: unknown = JSON.parse(JSON.stringify(describeModel(type)));
      return [type.singularName, { ...objectAt(schema), schema }];
    }),
  );

/** @throws Unsupported if there are lifecycles of roles, which are written without the Document Service */
const lifecyclesOf = (types: PlainObject, given: Given): ExtendedPlugin['lifecycles'] =>
  typesIn(given).flatMap(({ uid, singularName }) => {
    const { lifecycles } = objectAt(types, singularName);
    if (lifecycles === undefined) return [];
    if (uid === ROLE_UID) refuse(`plugin('${given.name}').contentType('${singularName}').lifecycles`);
    return [[uid, lifecycles] as const];
  });

/** What an extension added to content types, as schema files would add it. @throws Unsupported if it changed anything else */
function additionsTo(before: PlainObject, after: PlainObject, given: Given): readonly SchemaFile[] {
  for (const name of Object.keys(after))
    if (!Object.hasOwn(before, name))
      refuse(`plugin('${given.name}').contentType('${name}') with other names`);
  return typesIn(given).flatMap((type) => {
    const schemaIn = (types: PlainObject): PlainObject => objectAt(types, type.singularName, 'schema');
    const changed = changedModel(schemaIn(before), schemaIn(after));
    return changed ? [additionTo(type, changed, given.file)] : [];
  });
}

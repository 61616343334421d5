import type { Schema } from '../schema/types.js';
import { isObject } from '../values/plain-object.js';
import { partsOf } from './core.js';
import { describeModel } from './models.js';
import { type CodeContext, isCallable, type Values } from './types.js';
import { refuse, withRefused } from './unsupported.js';

/** The built-in routes of users-permissions: an extension may change them. */
export type PluginRoutes = readonly {
  readonly method: string;
  readonly path: string;
  readonly action: string | null;
}[];

const UID = 'plugin::users-permissions';
/** Their rows in Strapi are made by a factory. */
const FACTORIES = new Set(['auth']);

/** A built-in action as a method of a controller. */
const builtIn =
  (action: string) =>
  (ctx: CodeContext): Promise<void> =>
    partsOf(ctx).builtIn(action);

/** What `src/extensions/users-permissions/strapi-server` makes of the plugin that it receives. */
export function extendedPlugin(extension: unknown, rows: PluginRoutes, schema: Schema) {
  const own = rows.filter(({ action }) => action?.startsWith(`${UID}.`));
  const controllers: Record<string, Values> = {};
  const original = new Map<string, unknown>();
  const routes: Values[] = own.map(({ method, path, action }) => {
    const handler = (action ?? '').slice(UID.length + 1);
    const [controller = '', name = ''] = handler.split('.');
    const method_ = builtIn(action ?? '');
    const methods = controllers[controller] ?? {};
    controllers[controller] = methods;
    methods[name] ??= method_;
    original.set(handler, methods[name]);
    return { method: method.toUpperCase(), path, handler, config: { prefix: '' } };
  });
  const given: Values = {};
  for (const [name, methods] of Object.entries(controllers))
    given[name] = FACTORIES.has(name) ? () => methods : methods;
  const contentTypes: Values = {};
  for (const [uid, type] of schema.contentTypes)
    if (uid.startsWith(`${UID}.`)) {
      const described = describeModel(type);
      contentTypes[type.singularName] = { ...described, schema: described };
    }
  const before = JSON.stringify(contentTypes);
  const plugin: Values = {
    controllers: given,
    contentTypes,
    routes: { 'content-api': { type: 'content-api', prefix: '', routes } },
    services: withRefused<Values>('extension.services', {}, 'all'),
    policies: {},
    middlewares: {},
    config: {},
  };
  const made: unknown = isCallable(extension) ? extension(plugin) : plugin;
  const result = isObject(made) ? made : plugin;
  if (JSON.stringify(result['contentTypes']) !== before)
    refuse('extension.contentTypes (declare attributes in src/extensions/users-permissions/content-types)');
  if (Object.keys(Object(result['services'])).length > 0) refuse('extension.services');
  for (const name of ['register', 'bootstrap', 'destroy'])
    if (isCallable(result[name])) refuse(`extension.${name}`);
  const changed = isObject(result['controllers']) ? result['controllers'] : {};
  const declared = Object(result['routes'])['content-api'];
  const router: unknown = isCallable(declared)
    ? declared({ strapi: Object(globalThis)['strapi'] })
    : declared;
  const list: unknown = Object(router)['routes'];
  return {
    routes: Array.isArray(list) ? (list as readonly unknown[]) : [],
    /** The controller of a uid, if it has anything that is not built in. */
    controller(uid: string): unknown {
      const name = uid.slice(UID.length + 1);
      const value = changed[name];
      const methods: unknown = isCallable(value) ? value({ strapi: Object(globalThis)['strapi'] }) : value;
      if (!isObject(methods)) return undefined;
      return methods;
    },
    /** Whether an action is the built-in one. */
    isBuiltIn(uid: string, action: string): boolean {
      const name = uid.slice(UID.length + 1);
      const methods = this.controller(uid);
      return isObject(methods) && methods[action] === original.get(`${name}.${action}`);
    },
  };
}

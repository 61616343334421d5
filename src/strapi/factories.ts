import { existingType, routeOf } from '../schema/find.js';
import type { ContentType, Schema } from '../schema/types.js';
import { once } from '../values/once-per.js';
import { isObject } from '../values/plain-object.js';
import { isCallable, type Values } from './types.js';

/** Where the `strapi` object keeps the core controllers and services that a project's own ones extend. */
export const CORE = Symbol.for('mangrove.strapi.core');

export interface CoreParts {
  controller(uid: string): Values;
  service(uid: string): Values;
}

interface Given {
  readonly strapi: { readonly [CORE]: CoreParts };
}

/** The project's own methods, which find the core ones through `super`. */
const extending =
  (part: keyof CoreParts) =>
  (uid: string, own?: unknown) =>
  ({ strapi }: Given): unknown => {
    const made: unknown = isCallable(own) ? own({ strapi }) : own;
    return Object.setPrototypeOf(isObject(made) ? made : {}, strapi[CORE][part](uid));
  };

const ROWS = {
  collectionType: [
    ['find', 'GET', ''],
    ['findOne', 'GET', '/:id'],
    ['create', 'POST', ''],
    ['update', 'PUT', '/:id'],
    ['delete', 'DELETE', '/:id'],
  ],
  singleType: [
    ['find', 'GET', ''],
    ['update', 'PUT', ''],
    ['delete', 'DELETE', ''],
  ],
} as const;

/** The routes of a type as Strapi declares them. */
export const coreRoutes = (type: ContentType): readonly (Values & { readonly name: string })[] =>
  ROWS[type.kind].map(([name, method, path]) => ({
    name,
    method,
    path: `/${routeOf(type)}${path}`,
    handler: `${type.uid}.${name}`,
    config: {},
  }));

/** `createCoreRouter(uid, { prefix, only, except, config })`: its `routes` may be read and extended. */
const coreRouter =
  (schema: () => Schema) =>
  (uid: string, options: Values = {}): Values => {
    const { prefix, only, except, config } = options;
    const of = (name: string): unknown => (isObject(config) ? config[name] : undefined);
    const routes = once(() =>
      coreRoutes(existingType(schema(), uid))
        .filter(
          ({ name }) =>
            (!Array.isArray(only) || only.includes(name)) &&
            !(Array.isArray(except) && except.includes(name)),
        )
        .map(({ name, ...route }) => ({ ...route, config: of(name) ?? {} })),
    );
    return {
      type: 'content-api',
      prefix,
      // When they are first asked for, as in Strapi: plugins may have types by then that the files do not.
      get routes() {
        return routes();
      },
    };
  };

/** `factories` of `@strapi/strapi`. */
export const factoriesOf = (schema: () => Schema): Values => ({
  createCoreController: extending('controller'),
  createCoreService: extending('service'),
  createCoreRouter: coreRouter(schema),
});

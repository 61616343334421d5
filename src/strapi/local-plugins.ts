import { existsSync, readFileSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { createEnv } from '../config/env.js';
import { deepMerge } from '../config/merge.js';
import type { SchemaFile } from '../schema/files/read.js';
import { objectAt, type PlainObject } from '../values/plain-object.js';
import { type ExtendedPlugin, routersIn } from './extension.js';
import { type CodeFile, isCallable, type Values } from './types.js';

/** The files of the project's own plugins. @param folders by name, as in `config/plugins` */
export const localPlugins = (root: string, folders: Readonly<Record<string, string>>): readonly CodeFile[] =>
  Object.entries(folders).flatMap(([name, given]): CodeFile[] => {
    const file = serverOf(root, relative(root, resolve(root, given)).split(sep).join('/'));
    return file === null ? [] : [{ file, kind: 'plugin', uid: `plugin::${name}` }];
  });

/** A path in the project; what the compiler would write to `dist` is what it would read. */
const existing = (root: string, path: string): string | undefined => {
  const source = path.startsWith('dist/') ? path.slice('dist/'.length) : path;
  return [path, source, source.replace(/\.js$/, '.ts')].find((one) => existsSync(resolve(root, one)));
};

/**
 * The code of a plugin where its package says; as in Strapi, one without code has none. A plugin that is not
 * built runs from its source.
 */
function serverOf(root: string, folder: string): string | null {
  const info = existing(root, `${folder}/package.json`);
  const { exports }: Values = info ? JSON.parse(readFileSync(resolve(root, info), 'utf8')) : {};
  const said = objectAt(exports)['./strapi-server'];
  if (said === undefined) return existing(root, `${folder}/strapi-server.js`) ?? null;
  const { require, default: other, source } = typeof said === 'string' ? { default: said } : objectAt(said);
  const paths = [require, other, source].flatMap((one) =>
    typeof one === 'string' ? [`${folder}/${one.replace(/^\.\//, '')}`] : [],
  );
  return paths.map((path) => existing(root, path)).find((path) => path !== undefined) ?? paths[0] ?? null;
}

const NONE: Values = {
  routes: {},
  controllers: {},
  services: {},
  policies: {},
  middlewares: {},
  contentTypes: {},
};

/** What the file of a local plugin exports, whose configuration is in `strapi.config` from now on. @throws what its validator throws */
export function readyPlugin(exported: unknown, uid: string, config: Values): Values {
  const env = createEnv(process.env);
  const given: Values = { ...NONE, ...Object(isCallable(exported) ? exported({ env }) : exported) };
  const { default: standard, validator }: Values = Object(given['config']);
  const { get, set } = config;
  if (!isCallable(get) || !isCallable(set)) return given;
  const merged = deepMerge(isCallable(standard) ? standard({ env }) : (standard ?? {}), get(uid) ?? {});
  if (isCallable(validator)) validator(merged);
  set(uid, merged);
  return given;
}

/** What a local plugin is, in the form of one that an extension has made. */
export function localPlugin(given: Values, { uid, file }: CodeFile, strapi: object): ExtendedPlugin {
  const part = (name: string): Values => ({ ...Object(given[name]) });
  const types = Object.entries(part('contentTypes'));
  const routes = Array.isArray(given['routes']) ? { admin: { routes: given['routes'] } } : part('routes');
  return {
    routes,
    routers: () => routersIn(routes, strapi).filter(({ type }) => type === 'content-api'),
    controllers: part('controllers'),
    services: part('services'),
    policies: part('policies'),
    middlewares: part('middlewares'),
    lifecycles: types.flatMap(([name, type]) => {
      const { lifecycles } = objectAt(type);
      return lifecycles === undefined ? [] : [[`${uid}.${name}`, lifecycles] as const];
    }),
    additions: types.map(([name, type]) => typeFile(name, objectAt(type, 'schema'), uid, file)),
    hook(name) {
      const hook = given[name];
      return isCallable(hook) ? hook.bind(given) : null;
    },
    isBuiltIn: () => false,
  };
}

/** How many routes of a plugin are for the admin panel. */
export const adminRoutes = ({ routes }: ExtendedPlugin, strapi: object): number =>
  routersIn(routes, strapi)
    .filter(({ type }) => type !== 'content-api')
    .flatMap((router) => router.routes).length;

const typeFile = (name: string, schema: PlainObject, uid: string, file: string): SchemaFile => ({
  kind: 'contentType',
  uid: `${uid}.${name}`,
  name,
  file: `${file} › contentTypes.${name}`,
  content: {
    ...schema,
    collectionName: schema['collectionName'] ?? `${uid.slice('plugin::'.length)}_${name}`.toLowerCase(),
  },
});

import type { Expression } from 'acorn';
import { routeOf } from '../schema/find.js';
import { normalName } from '../schema/names.js';
import type { ContentType } from '../schema/types.js';
import { isObject } from '../values/plain-object.js';
import { answerOf, factoryCall, resolveName } from './exported.js';
import { type JoinedRouter, joinedRouter } from './joined-router.js';
import type { ParsedFile } from './parse.js';
import { readSettings, type Settings } from './route-settings.js';
import { staticValue, UNKNOWN } from './static-value.js';
import type { Closing, DeclaredRoute } from './types.js';

/** The usual routes of a content type, by action (rules A.1). */
const CORE: Readonly<
  Record<
    ContentType['kind'],
    readonly (readonly [name: string, method: DeclaredRoute['method'], one: boolean])[]
  >
> = {
  collectionType: [
    ['find', 'get', false],
    ['findOne', 'get', true],
    ['create', 'post', false],
    ['update', 'put', true],
    ['delete', 'delete', true],
  ],
  singleType: [
    ['find', 'get', false],
    ['update', 'put', false],
    ['delete', 'delete', false],
  ],
};

/** The content of a route file. */
export interface RouteFile {
  readonly routes: readonly (DeclaredRoute & { readonly uid: string })[];
  readonly closings: readonly Closing[];
  /** Listed for the file; null if it does nothing that Mangrove does not do itself. */
  readonly does: string | null;
}

export interface RouteContext {
  readonly api: string;
  readonly file: string;
  readonly types: ReadonlyMap<string, ContentType>;
}

/** Reads a router: `createCoreRouter(uid, options)`, `{ routes: [...] }`, or a function that returns one. */
export function readRouteFile(file: ParsedFile, context: RouteContext): RouteFile {
  const made = resolveName(file.exported, file);
  // Strapi calls it with `{ strapi }`.
  const answer = made && answerOf(made);
  const parsed: ParsedFile = answer ? { ...file, exported: answer as Expression } : file;
  const core = factoryCall(parsed.exported, parsed, 'createCoreRouter');
  if (core) {
    const [uid, options] = core.arguments.map((argument) => staticValue(argument, parsed));
    if (typeof uid !== 'string') return unreadable(context);
    return coreRouter(uid, core.arguments.length > 1 ? options : {}, context);
  }
  const joined = joinedRouter(parsed);
  if (joined) return joinedRoutes(joined, parsed, context);
  const exported = resolveName(parsed.exported, parsed);
  const value = exported ? staticValue(exported, parsed) : {};
  if (!isObject(value)) return unreadable(context);
  const list = value['routes'] ?? [];
  if (!Array.isArray(list) || list.some((route) => !isObject(route))) return unreadable(context);
  return customRouter(
    list as readonly Readonly<Record<string, unknown>>[],
    String(value['prefix'] ?? ''),
    context,
  );
}

/** The usual routes and additional ones. */
function joinedRoutes(
  { core, lists, keepsPrefix }: JoinedRouter,
  parsed: ParsedFile,
  context: RouteContext,
): RouteFile {
  const [uid, given = {}] = core.arguments.map((argument) => staticValue(argument, parsed));
  const options = isObject(given) && !keepsPrefix ? { ...given, prefix: '' } : given;
  const prefix = isObject(options) ? (options['prefix'] ?? '') : '';
  const more = lists.flatMap((list) => staticValue(list, parsed));
  if (more.some((route) => !isObject(route)) || typeof prefix !== 'string' || typeof uid !== 'string')
    return unreadable(context);
  const usual = coreRouter(uid, options, context);
  const extra = customRouter(more as readonly Readonly<Record<string, unknown>>[], prefix, context);
  const does = [usual.does, extra.does].filter((text) => text !== null);
  return {
    routes: [...usual.routes, ...extra.routes],
    closings: [...usual.closings, ...extra.closings],
    does: does.length === 0 ? null : does.join('; '),
  };
}

/** Routes that are only known by running the file: all types of the API are closed. */
const unreadable = ({ api, file }: RouteContext): RouteFile => ({
  routes: [],
  closings: [
    {
      at: { prefix: `api::${normalName(api)}.` },
      names: [file],
      because: `${file} creates its routes dynamically, so which routes exist and who may use them is unknown`,
    },
  ],
  does: 'creates its routes dynamically',
});

/** The usual routes of a type. */
export const usualRoutes = (type: ContentType): readonly DeclaredRoute[] =>
  CORE[type.kind].map((row) => coreRoute(type, row, ''));

function coreRouter(uid: string, given: unknown, context: RouteContext): RouteFile {
  const type = context.types.get(uid);
  if (!type)
    return {
      routes: [],
      closings: [],
      does: `has the routes of ${uid}, which is not a content type of this project`,
    };
  const options = isObject(given) ? given : {};
  const only = namesOf(options['only']);
  const except = namesOf(options['except']);
  const { config = {}, prefix = '' } = options;
  const whole = (because: string): RouteFile => ({
    routes: usualRoutes(type).map((route) => ({ ...route, uid })),
    closings: [{ at: { prefix: `${uid}.` }, names: [context.file], because: `${context.file} ${because}` }],
    does: because,
  });
  if (!isObject(given)) return whole('computes the options of its router');
  if (only === UNKNOWN || except === UNKNOWN) return whole('computes "only" or "except"');
  if (!isObject(config) || typeof prefix !== 'string') return whole('computes the "config" of its router');
  const rows = CORE[type.kind].filter(
    ([name]) => (only === null || only.includes(name)) && !(except?.includes(name) ?? false),
  );
  const routes: (DeclaredRoute & { uid: string })[] = [];
  const closings: Closing[] = [];
  for (const row of rows) {
    const given = config[row[0]] ?? {};
    const settings = readSettings(given, context);
    const route = coreRoute(type, row, isObject(given) && 'prefix' in given ? '' : prefix);
    routes.push({ ...route, open: settings.open, scope: settings.scope, uid });
    closings.push(...closeFor(settings, { action: route.action }, context));
  }
  return { routes, closings, does: closings.length === 0 ? null : describeClosings(closings) };
}

const coreRoute = (
  type: ContentType,
  [name, method, one]: (typeof CORE)['collectionType'][number],
  prefix: string,
): DeclaredRoute => ({
  method,
  path: `${prefix}/${routeOf(type)}${one ? '/:documentId' : ''}`,
  action: `${type.uid}.${name}`,
  open: false,
  scope: null,
});

const namesOf = (value: unknown): readonly string[] | null | typeof UNKNOWN => {
  if (value === undefined || value === null) return null;
  return Array.isArray(value) && value.every((name) => typeof name === 'string') ? value : UNKNOWN;
};

const describeClosings = (closings: readonly Closing[]): string =>
  `asks ${[...new Set(closings.flatMap(({ names }) => names.slice(0, 1)))].join(', ')} before its routes`;

const closeFor = (settings: Settings, at: Closing['at'], { file }: RouteContext): readonly Closing[] =>
  settings.unmet.map(({ name, because, policy }) => ({
    at,
    names: [name, file],
    because: `${file}: ${because}`,
    ...(policy && { policy }),
  }));

function customRouter(
  list: readonly Readonly<Record<string, unknown>>[],
  routerPrefix: string,
  context: RouteContext,
): RouteFile {
  const routes: (DeclaredRoute & { uid: string })[] = [];
  const closings: Closing[] = [];
  const own: string[] = [];
  for (const given of list) {
    const { method, path, handler, config = {} } = given;
    if (typeof method !== 'string' || typeof path !== 'string') return unreadable(context);
    const settings = readSettings(config, context);
    // A route with its own prefix is used as written, without the router's.
    const prefix = isObject(config) && 'prefix' in config ? '' : routerPrefix;
    const place = { method: method.trim().toLowerCase(), path: `${prefix}${path.trim()}` };
    const target = coreAction(handler, context);
    if (target === null) {
      own.push(`${method} ${place.path}`);
      closings.push({
        at: place,
        names: [context.file],
        because: `${context.file}: ${method} ${place.path} is handled by ${typeof handler === 'string' ? handler : 'a function'}`,
      });
      continue;
    }
    const route = declare(place, target, settings);
    if (route) routes.push({ ...route, uid: target.type.uid });
    else
      closings.push({
        at: place,
        names: [context.file],
        because: `${context.file}: ${method} ${place.path} is not an address that can be served`,
      });
    closings.push(...closeFor(settings, place, context));
  }
  const asks = closings.length > own.length ? [describeClosings(closings)] : [];
  const does = [...(own.length > 0 ? [`handles ${own.join(', ')} itself`] : []), ...asks];
  return { routes, closings, does: does.length === 0 ? null : does.join('; ') };
}

interface CoreTarget {
  readonly type: ContentType;
  readonly row: (typeof CORE)['collectionType'][number];
  readonly scope: string | null;
}

/** The content type's core action that a handler names: `article.find` or `api::article.article.find`. */
function coreAction(handler: unknown, { api, types }: RouteContext): CoreTarget | null {
  if (typeof handler !== 'string') return null;
  const [, action] = /^([\w:.-]+\.\w+)$/.exec(handler) ?? [];
  if (action === undefined) return null;
  const own = `api::${normalName(api)}.`;
  const full = action.includes('::') ? action : `${own}${action}`;
  const at = full.lastIndexOf('.');
  const type = types.get(full.slice(0, at));
  const row = type && CORE[type.kind].find(([name]) => name === full.slice(at + 1));
  // The grant that Strapi requires is named after the API of the file, whichever type the action belongs to.
  return type && row ? { type, row, scope: full.startsWith(own) ? null : `${own}${full}` } : null;
}

const METHODS: ReadonlySet<string> = new Set(['get', 'post', 'put', 'delete']);

/** The route at the declared path; null if the path does not fit the action. */
function declare(
  { method, path }: { readonly method: string; readonly path: string },
  { type, row: [name, , one], scope: otherwise }: CoreTarget,
  { open, scope }: Settings,
): DeclaredRoute | null {
  const parameters = path.match(/:\w+/g) ?? [];
  if (!METHODS.has(method) || !/^\/[\w/:.~-]*$/.test(path) || parameters.length !== (one ? 1 : 0))
    return null;
  return {
    method: method as DeclaredRoute['method'],
    path: path.replace(/:\w+/, ':documentId'),
    action: `${type.uid}.${name}`,
    open,
    scope: scope ?? otherwise,
  };
}

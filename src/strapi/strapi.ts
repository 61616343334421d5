import { join } from 'node:path';
import { inspect } from 'node:util';
import type { DocumentMiddleware, MiddlewareContext } from '../documents/middleware.js';
import type { ProjectLogger } from '../events/event-log.js';
import { ADMIN_UID } from '../schema/uids.js';
import { isObject } from '../values/plain-object.js';
import { contentApiOf } from './content-api.js';
import type { Core } from './core.js';
import { coreStoreOf } from './core-store.js';
import { entityManagerOf } from './entity-manager.js';
import { CORE } from './factories.js';
import type { Live } from './live.js';
import { middlewareNamed } from './middlewares.js';
import type { Descriptions } from './models.js';
import { REFUSED } from './names.js';
import { nested } from './nested.js';
import { handlerIn, policyNamed } from './policies.js';
import type { Registry } from './registry.js';
import { BY_QUERY } from './rows.js';
import { transactionOf } from './transactions.js';
import type { CodeKind, Values } from './types.js';
import { during } from './under-way.js';
import { refuse, running, withRefused } from './unsupported.js';

interface Parts {
  readonly root: string;
  readonly registry: Registry;
  readonly config: Values;
  readonly core: () => Core;
  readonly live: () => Live;
  readonly hub: Values;
  readonly plugin: (name: string) => unknown;
  readonly query: (uid: string) => Values;
  readonly entityService: Values;
  readonly lifecycles: Values;
  readonly cron: Values;
  readonly server: Values;
  readonly models: Descriptions;
  readonly logger: () => ProjectLogger;
  readonly useAround: (middleware: DocumentMiddleware) => void;
}

const isFields = (value: unknown): value is Values => isObject(value) && !(value instanceof Error);

const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value;
  return value instanceof Error ? (value.stack ?? value.message) : inspect(value);
};

/** `strapi.log`: the server's log, to which code may also pass several values; members of objects are fields. */
const logOf = (logger: () => ProjectLogger): Values =>
  Object.fromEntries(
    (['debug', 'info', 'warn', 'error'] as const).flatMap((level) => {
      const write = (...given: readonly unknown[]): void => {
        const log = logger();
        const said = given.filter((value) => !isFields(value)).map(textOf);
        const fields = given.filter(isFields);
        if (fields.length > 0) log[level](Object.assign({}, ...fields), said.join(' '));
        else log[level](said.join(' '));
      };
      const names: readonly string[] = {
        debug: ['debug', 'silly', 'verbose', 'trace'],
        info: ['info', 'http'],
        warn: ['warn'],
        error: ['error', 'fatal'],
      }[level];
      return names.map((name) => [name, write]);
    }),
  );

interface OfApis {
  readonly registry: Registry;
  readonly contentTypes: Values;
  readonly service: (uid: string) => unknown;
  readonly controller: (uid: string) => unknown;
}

/** `strapi.api(name)`, and `strapi.apis`. */
function apisOf({ registry, contentTypes, service, controller }: OfApis) {
  const api = (name: string): Values => {
    const here = (kind: CodeKind, find: (uid: string) => unknown): Values =>
      Object.fromEntries(
        registry
          .of(kind)
          .filter(({ uid }) => uid.startsWith(`api::${name}.`))
          .map(({ uid }) => [uid.slice(uid.indexOf('.') + 1), find(uid)]),
      );
    return {
      get services() {
        return here('service', service);
      },
      get controllers() {
        return here('controller', controller);
      },
      service: (one: string) => service(`api::${name}.${one}`),
      controller: (one: string) => controller(`api::${name}.${one}`),
      contentType: (one: string) => contentTypes[`api::${name}.${one}`],
    };
  };
  const apis = (): Values => {
    const owners = new Set(
      [...Object.keys(contentTypes), ...registry.files.map(({ uid }) => uid)].flatMap(
        (uid) => /^api::([^.]+)/.exec(uid)?.[1] ?? [],
      ),
    );
    return Object.fromEntries([...owners].map((name) => [name, api(name)]));
  };
  return { api, apis };
}

/** `strapi.documents`, whose middlewares see the content type of a call as `strapi.contentType` describes it. */
function documentsOf(live: Parts['live'], contentTypes: Values, useAround: Parts['useAround']) {
  const seenByCode = (context: MiddlewareContext) => ({
    uid: context.uid,
    action: context.action,
    contentType: contentTypes[context.uid],
    get params() {
      return context.params;
    },
    set params(params) {
      context.params = params;
    },
  });
  const of = (uid: string) => (uid === ADMIN_UID ? refuse(`documents('${uid}')`) : live().documents(uid));
  const documents = Object.assign(of, {
    use: (middleware: (context: object, next: () => Promise<unknown>) => Promise<unknown>) => {
      useAround((context, next) =>
        BY_QUERY in context.params
          ? next()
          : nested(context, () =>
              during(`a document middleware in ${context.action} of ${context.uid}`, () =>
                middleware(seenByCode(context), next),
              ),
            ),
      );
      return documents;
    },
  });
  return documents;
}

/** The `strapi` object of a project's code: what Mangrove has, and names that throw for the rest. */
export function createStrapi(parts: Parts): Values {
  const { root, registry, config, core, live, hub, plugin, query, models } = parts;
  const { entityService, lifecycles, cron, server, logger, useAround } = parts;
  const { contentTypes, components } = models;
  const instance =
    (kind: 'controller' | 'service') =>
    (uid: string): unknown => {
      const [, owner, name] = /^plugin::([^.]+)\.(.+)$/.exec(uid) ?? [];
      if (owner !== undefined && kind === 'service') return serviceIn(plugin(owner), name ?? '');
      const own = registry.instance(kind, uid, strapi);
      if (own !== undefined) return own;
      return uid.startsWith('api::') && Object.hasOwn(contentTypes, uid) ? core()[kind](uid) : undefined;
    };
  const service = instance('service');
  const controller = instance('controller');
  const all = (kind: CodeKind, find: (uid: string) => unknown): Values =>
    Object.fromEntries(registry.of(kind).map(({ uid }) => [uid, find(uid)]));
  /** What a file exports. */
  const exported = (kind: CodeKind) => (uid: string) => registry.value(registry.find(kind, uid)?.file ?? '');
  const { api, apis } = apisOf({ registry, contentTypes, service, controller });
  const strapi: Values = withRefused<Values>(
    '',
    {
      [CORE]: {
        controller: (uid: string) => core().controller(uid),
        service: (uid: string) => core().service(uid),
      },
      documents: documentsOf(live, contentTypes, useAround),
      service,
      get services() {
        return all('service', service);
      },
      controller,
      get controllers() {
        return all('controller', controller);
      },
      policy: (name: string) => policyNamed(registry, name),
      get policies() {
        return all('policy', (uid) => handlerIn(exported('policy')(uid)));
      },
      middleware: (name: string) => middlewareNamed(registry, name, null),
      get middlewares() {
        return all('middleware', exported('middleware'));
      },
      contentType: (uid: string) => contentTypes[uid],
      contentTypes,
      components,
      getModel: (uid: string) => models.of(uid),
      get: registryNamed(models),
      api,
      get apis() {
        return apis();
      },
      config,
      log: logOf(logger),
      plugin,
      plugins: pluginsOf(plugin),
      entityService,
      query,
      db: withRefused<Values>(
        'db',
        { query, entityManager: entityManagerOf(query), lifecycles, transaction: transactionOf(live) },
        REFUSED.db,
      ),
      eventHub: hub,
      cron,
      server: withRefused<Values>('server', server, REFUSED.server),
      fetch: (...given: Parameters<typeof fetch>) => fetch(...given),
      dirs: dirsOf(root),
      dir: root,
      requestContext: { get: () => running.getStore()?.ctx },
      store: coreStoreOf(live),
      contentAPI: contentApiOf(live),
      customFields: withRefused<Values>('customFields', { register: models.registerFields }, 'all'),
      telemetry: { send: async () => undefined },
      isLoaded: true,
    },
    REFUSED[''],
  );
  return strapi;
}

/** `strapi.get('content-types')` and `strapi.get('components')`: the registries of the models. */
const registryNamed =
  ({ contentTypes, components }: Descriptions) =>
  (name: string): Values => {
    const at = `get('${name}')`;
    const all = { 'content-types': contentTypes, components }[name] ?? refuse(at);
    const keys = () => Object.keys(all);
    const getAll = (namespace = ''): Values => {
      const prefix = namespace === '' || namespace.endsWith('::') ? namespace : `${namespace}.`;
      return Object.fromEntries(keys().flatMap((uid) => (uid.startsWith(prefix) ? [[uid, all[uid]]] : [])));
    };
    const get = (uid: string) => all[uid];
    const extend = (uid: string, change: (model: unknown) => void): void => {
      if (!Object.hasOwn(all, uid)) throw new Error(`Content-Type ${uid} doesn't exist`);
      change(all[uid]);
    };
    return withRefused<Values>(at, { keys, get, getAll, ...(all === contentTypes && { extend }) }, 'all');
  };

const serviceIn = (plugin: unknown, name: string): unknown => Object(plugin).service?.(name);

const pluginsOf = (plugin: (name: string) => unknown): Values =>
  new Proxy({}, { get: (_, name) => (typeof name === 'string' ? plugin(name) : undefined) });

function dirsOf(root: string): Values {
  const of = (base: string): Values => ({
    root: base,
    src: join(base, 'src'),
    api: join(base, 'src/api'),
    components: join(base, 'src/components'),
    extensions: join(base, 'src/extensions'),
    policies: join(base, 'src/policies'),
    middlewares: join(base, 'src/middlewares'),
    config: join(base, 'config'),
  });
  return { app: of(root), dist: of(root), static: { public: join(root, 'public') } };
}

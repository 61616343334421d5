import type { CodeKind } from './types.js';

/**
 * The names of Strapi 5 that a project's code may use, and those that throw. docs/strapi-code.md shows both
 * tables, which a test compares with it.
 */

/** Which files of a project run, by what they are for: where they are, and what of them is used. */
export const CODE: Readonly<Record<CodeKind, readonly [place: string, says: string]>> = {
  controller: [
    '`src/api/*/controllers`',
    'core actions, also overridden with `super`, and own ones; `validateQuery`, `sanitizeQuery`, `validateInput`, `sanitizeInput`, `sanitizeOutput`, `transformResponse`',
  ],
  service: [
    '`src/api/*/services`',
    'own ones, and core ones, which the core controllers use when they are overridden',
  ],
  route: [
    '`src/api/*/routes`',
    'core routers with `prefix`, `only`, `except`, `config`; own routes in the order of the files, with `auth`, `policies`, `middlewares`, and `config.prefix`, which removes the prefix of the router; paths with parameters, also optional, repeated or with a regular expression; handlers as names or functions',
  ],
  policy: [
    'policies of an API, and global ones',
    'with their configuration, which `validator` checks at the start; `false` and thrown `PolicyError`s are a 403',
  ],
  middleware: [
    'middlewares of an API, and global ones',
    'of routes, and of `config/middlewares` with `name`, `resolve` and `config`, before or after `strapi::cors`, `strapi::query` and `strapi::body` as the list says; they may also close `/uploads`',
  ],
  index: [
    '`src/index`, `src/api/*/index`',
    '`register`, before the database is open, as in Strapi, where it may change content types and components; `bootstrap`, `destroy`',
  ],
  lifecycles: [
    '`src/api/*/content-types/*/lifecycles`',
    '`before` and `after` of `Create`, `Update`, `Delete` for each row that Strapi would write; of `FindOne`, `FindMany`, `Count` for each call of the Document Service; all of them, also `CreateMany`, `UpdateMany`, `DeleteMany`, for each call of `db.query`, with its parameters',
  ],
  extension: [
    '`src/extensions/*/strapi-server` of `users-permissions`, `upload`, `email` and `i18n`',
    'controllers, routes, policies, middlewares and services that are changed or added, also those that the built-in routes call, and `fetchAuthenticatedUser`, which makes `ctx.state.user`; attributes added to content types; lifecycles of files and accounts; `register`, `bootstrap`, `destroy`',
  ],
  plugin: [
    'plugins of the project, in the folders that `resolve` of `config/plugins` names',
    'their server part: content types with lifecycles, `content-api` routes, controllers, services, policies, middlewares, `config` with defaults and `validator`, `register`, `bootstrap`, `destroy`',
  ],
  cron: [
    '`config/server` with `cron.tasks`',
    'tasks with a cron expression or a date, in one of the processes that share a database',
  ],
};

/** What runs, by path below `strapi`. */
export const SUPPORTED: Readonly<Record<string, string>> = {
  documents: 'the Document Service, with `use`',
  service: 'services of the project, own and core ones',
  services: 'all of them by uid',
  controller: 'controllers of the project',
  controllers: 'all of them by uid',
  policy: 'policies by name',
  policies: 'all of them by uid',
  middleware: 'middlewares by name',
  middlewares: 'all of them by uid',
  contentType: 'a content type as Strapi describes it',
  contentTypes: 'all of them by uid',
  components: 'all components by uid',
  getModel: 'a content type or component',
  get: "`get('content-types')` and `get('components')`, with `keys`, `get`, `getAll`, `extend`",
  api: 'the parts of one API',
  apis: 'all of them by name',
  config: '`get`, `set` and `has` of `config/*`, including files of your own',
  log: 'the log of the server',
  plugin:
    '`users-permissions`, `upload`, `email` and `i18n`, with the services in the table below, and those of the project; `contentType`, `contentTypes`; `routes` and `controllers`, which `register` may change as an extension does',
  plugins: 'the same by name',
  entityService:
    '`findOne`, `findMany`, `findPage`, `load`, `loadPages`, `count`, `create`, `update`, `delete`',
  query: 'the same as `db.query`',
  'db.query':
    '`findOne`, `findMany`, `findWithCount`, `findPage`, `load`, `loadPages`, `count`, `create`, `createMany`, `update`, `updateMany`, `delete`, `deleteMany`; drafts and published versions are rows, with what `select` names; `filters` as an object says the same as `where`; for `plugin::users-permissions.permission`, the grants of the roles; for `strapi::core-store`, `findOne` by the whole key',
  'db.transaction': 'with a function, which gets `rollback`, `onCommit` and `onRollback`',
  'db.entityManager':
    'the same with the uid as the first parameter, except `findWithCount`, `findPage`, `loadPages`',
  'db.lifecycles': '`subscribe`',
  eventHub:
    '`on`, `once`, `off`, `emit`, `subscribe`; `entry.create`, `entry.update`, `entry.delete`, `entry.publish`, `entry.unpublish`',
  cron: '`add`, before the server listens',
  server:
    '`routes` and `use`, before the server listens; what `register` uses runs before `config/middlewares`, what `bootstrap` uses after them',
  'server.app': '`proxy`, to trust the headers of a reverse proxy, `use`, and `on`',
  'server.httpServer': "Node's server, to attach WebSockets to before it listens",
  fetch: "Node's own",
  dirs: 'the folders of the project',
  requestContext: '`get`',
  contentAPI:
    '`sanitize.query`, `sanitize.output`, `sanitize.input`, `validate.query`, `validate.input`; permissions count if `auth` is passed',
  customFields: '`register`, in `register`',
  store: '`get`, `set` and `delete` of values that are kept in the database',
  telemetry: '`send`, which sends nothing',
};

/** The services of plugins. */
export const SERVICES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'users-permissions': {
    user: '`fetch`, `fetchAll`, `fetchAuthenticatedUser`, `count`, `add`, `edit`, `remove`, `validatePassword`, `sendConfirmationEmail`',
    jwt: '`issue`, `verify`, `getToken`',
    role: '`find`, `findOne`, `createRole`, `updateRole`, `deleteRole`',
    'users-permissions': '`syncPermissions`, without effect: actions need no rows',
  },
  upload: {
    upload: '`upload`, `replace`, `updateFileInfo`, `findOne`, `findMany`, `findAndCountPage`, `remove`',
  },
  email: { email: '`send`, `sendTemplatedEmail`' },
  i18n: { locales: '`find`, `findByCode`, `getDefaultLocale`' },
  graphql: { extension: '`use`, `shadowCRUD`, without effect, since `/graphql` is not served' },
};

const names = (...list: readonly string[]): ReadonlySet<string> => new Set(list);

/** What of `@strapi/utils` needs nothing of Strapi's. */
export const INSTALLED_UTILS = names(
  'file',
  'formatYupErrors',
  'getZodValidationErrors',
  'hasSort',
  'hooks',
  'importDefault',
  'isOperator',
  'isOperatorOfType',
  'pagination',
  'parseType',
  'relations',
  'setCreatorFields',
  'template',
  'validateYupSchema',
  'validateYupSchemaSync',
  'validateZodSchema',
  'yup',
  'z',
);

/** What throws, by the object that it belongs to; the empty name is `strapi` itself. */
export const REFUSED = {
  '': names(
    'add',
    'admin',
    'ai',
    'app',
    'auth',
    'destroy',
    'ee',
    'EE',
    'entityValidator',
    'features',
    'fs',
    'hook',
    'hooks',
    'listen',
    'load',
    'mcp',
    'reload',
    'sanitizers',
    'sessionManager',
    'start',
    'startupLogger',
    'stop',
    'stopWithError',
    'validators',
    'webhookRunner',
    'webhookStore',
  ),
  db: names(
    'connection',
    'dialect',
    'getConnection',
    'getSchemaConnection',
    'metadata',
    'migrations',
    'queryBuilder',
    'schema',
  ),
  server: names('api', 'destroy', 'initRouting', 'listRoutes', 'mount', 'router'),
  '@strapi/utils': names(
    'AbstractRouteValidator',
    'ALLOWED_QUERY_PARAM_KEYS',
    'augmentSchema',
    'buildPublicationFilterWhere',
    'buildSessionMetadata',
    'convertQueryParams',
    'createContentApiRoutesFactory',
    'createModelCache',
    'CSP_DEFAULTS',
    'emitAudit',
    'extendMiddlewareConfiguration',
    'filtersSchema',
    'generateInstallId',
    'getDeviceName',
    'hasPublishedVersionBooleanToPublicationFilterMode',
    'localeSchema',
    'maybeReadonly',
    'maybeRequired',
    'maybeWithDefault',
    'maybeWithMinMax',
    'packageManager',
    'paginationSchema',
    'parseHasPublishedVersionQueryParam',
    'parseMultipartData',
    'parsePublicationFilter',
    'parseUserAgent',
    'providerFactory',
    'queryFieldsSchema',
    'queryParameterSchemas',
    'queryParams',
    'queryPopulateSchema',
    'querySortSchema',
    'RESERVED_INPUT_PARAM_KEYS',
    'sanitize',
    'sanitizeRouteForSerialization',
    'sanitizeRoutesArrayForSerialization',
    'sanitizeRoutesMapForSerialization',
    'sanitizeSessionEntry',
    'searchQuerySchema',
    'SHARED_QUERY_PARAM_KEYS',
    'sortSessionsForDisplay',
    'statusSchema',
    'transformUidToValidOpenApiName',
    'traverse',
    'traverseEntity',
    'validate',
    'validatePublicationFilterQueryParam',
  ),
} as const;

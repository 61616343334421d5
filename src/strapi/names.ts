/**
 * The names of Strapi 5 that a project's code may use, and those that throw. docs/strapi-code.md shows both
 * tables, which a test compares with it.
 */

/** What runs, by path below `strapi`. */
export const SUPPORTED: Readonly<Record<string, string>> = {
  documents: 'the Document Service, with `use`',
  service: 'services of the project, own and core ones',
  services: 'all of them by uid',
  controller: 'controllers of the project',
  controllers: 'all of them by uid',
  policy: 'policies by name',
  middleware: 'middlewares by name',
  contentType: 'a content type as Strapi describes it',
  contentTypes: 'all of them by uid',
  components: 'all components by uid',
  getModel: 'a content type or component',
  api: 'the parts of one API',
  apis: 'all of them by name',
  config: '`get`, `set` and `has` of `config/*`, including files of your own',
  log: 'the log of the server',
  plugin: '`users-permissions`, `upload`, `email` and `i18n`, with the services in the table below',
  plugins: 'the same by name',
  entityService: '`findOne`, `findMany`, `count`, `create`, `update`, `delete`',
  query: 'the same as `db.query`',
  'db.query':
    '`findOne`, `findMany`, `findWithCount`, `findPage`, `count`, `create`, `update`, `delete`; drafts and published versions are rows; for `plugin::users-permissions.permission`, the grants of the roles',
  'db.lifecycles': '`subscribe`',
  eventHub:
    '`on`, `once`, `off`, `emit`, `subscribe`; `entry.create`, `entry.update`, `entry.delete`, `entry.publish`, `entry.unpublish`',
  cron: '`add`, before the server listens',
  server: '`routes` and `use`, before the server listens',
  fetch: "Node's own",
  dirs: 'the folders of the project',
  requestContext: '`get`',
  contentAPI:
    '`sanitize.query`, `sanitize.output`, `sanitize.input`, `validate.query`, `validate.input`; permissions count if `auth` is passed',
  store: '`get`, `set` and `delete` of values that are kept in the database',
};

/** The services of plugins. */
export const SERVICES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'users-permissions': {
    user: '`fetch`, `fetchAll`, `count`, `add`, `edit`, `remove`',
    jwt: '`issue` (returns a promise), `verify`, `getToken`',
    role: '`find`, `findOne`',
  },
  upload: { upload: '`upload`, `findOne`, `findMany`' },
  email: { email: '`send`' },
  i18n: { locales: '`find`, `findByCode`, `getDefaultLocale`' },
};

const names = (...list: readonly string[]): ReadonlySet<string> => new Set(list);

/** What throws, by the object that it belongs to; the empty name is `strapi` itself. */
export const REFUSED = {
  '': names(
    'admin',
    'ai',
    'app',
    'auth',
    'customFields',
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
    'telemetry',
    'validators',
    'webhookRunner',
    'webhookStore',
  ),
  db: names(
    'connection',
    'dialect',
    'entityManager',
    'getConnection',
    'getSchemaConnection',
    'metadata',
    'migrations',
    'queryBuilder',
    'schema',
    'transaction',
  ),
  server: names('api', 'app', 'destroy', 'httpServer', 'initRouting', 'listRoutes', 'mount', 'router'),
  '@strapi/utils': names(
    'AbstractRouteValidator',
    'convertQueryParams',
    'createContentApiRoutesFactory',
    'file',
    'formatYupErrors',
    'generateInstallId',
    'getZodValidationErrors',
    'hooks',
    'importDefault',
    'packageManager',
    'pagination',
    'parseMultipartData',
    'parseType',
    'providerFactory',
    'queryParams',
    'relations',
    'sanitize',
    'setCreatorFields',
    'template',
    'traverse',
    'traverseEntity',
    'validate',
    'validateYupSchema',
    'validateYupSchemaSync',
    'validateZodSchema',
    'yup',
    'z',
  ),
} as const;

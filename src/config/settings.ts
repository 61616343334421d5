import type { PathTo } from './paths.js';
import {
  flag,
  integer,
  interval,
  limitOrNone,
  numbers,
  oneOf,
  port,
  prefix,
  proxy,
  type Reader,
  record,
  recordOfTexts,
  recordOrText,
  roles,
  text,
  textList,
  textOrNull,
  textOrNumber,
  texts,
  trueOrTexts,
} from './readers.js';

/** Where a setting stands in a config file, and where in `Config`. */
export interface Setting {
  readonly path: string;
  readonly to: string;
  readonly reader: Reader;
  /** What stands where a project computes it by a function, which is not called; the default if absent. */
  readonly notCalled?: unknown;
}

/** A row does not compile unless `Config` has a setting at `to` that takes what the reader gives. */
function row<T>(path: PathTo<T>, reader: Reader<T>): Setting;
function row<T>(path: string, reader: Reader<T>, to: PathTo<T>): Setting;
function row(path: string, reader: Reader, to: string = path): Setting {
  return { path, to, reader };
}

const up = 'users-permissions.config';

/** The settings of each config file, in Strapi's names (rules J.1). config/middlewares is a list and has its own reader. */
export const SETTINGS: Readonly<Record<string, readonly Setting[]>> = {
  api: [
    row('rest.prefix', prefix),
    row('rest.defaultLimit', integer(1)),
    row('rest.maxLimit', limitOrNone),
    row('rest.withCount', flag),
    row('rest.strictParams', flag),
    row('rest.componentIds', flag),
    row('rest.publicDrafts', flag),
    row('rest.compat', oneOf('v3', 'v4')),
    row('documents.strictParams', flag),
    row('documents.strictRelations', flag),
    row('documents.stableIds', flag),
    row('responses.privateAttributes', texts),
    row('customFields', recordOfTexts),
    row('code.ignore', trueOrTexts),
    row('query.maxDepth', integer(1)),
    row('query.maxNodes', integer(1)),
    row('query.maxBreadth', integer(1)),
    row('query.maxPopulateDepth', integer(1)),
    row('query.maxJoins', integer(1)),
    row('query.maxRows', integer(1)),
    row('query.maxBytes', integer(1)),
    row('query.heavyReads', integer(1)),
  ],
  server: [
    row('host', text, 'server.host'),
    row('port', port, 'server.port'),
    row('url', textOrNull, 'server.url'),
    row('proxy', proxy, 'server.proxy'),
    row('proxy.maxIpsCount', integer(0), 'server.proxyIps'),
    row('dirs.public', text, 'server.publicDir'),
    row('drainMs', integer(0), 'server.drainMs'),
    row('requestMs', integer(0), 'server.requestMs'),
    row('maxPerAddress', integer(0), 'server.maxPerAddress'),
    row('maxUnsentBytes', integer(1), 'server.maxUnsentBytes'),
    row('metrics', flag, 'server.metrics'),
    row('timing', flag, 'server.timing'),
  ],
  database: [
    row('uri', textOrNull, 'database.uri'),
    row('name', textOrNull, 'database.name'),
    row('system', textOrNull, 'database.system'),
    row('engine', oneOf('embedded', 'mongod'), 'database.engine'),
    row('engineVersion', oneOf('5.0', '6.0', '7.0'), 'database.engineVersion'),
    row('dataDir', text, 'database.dataDir'),
    row('maxTimeMS', integer(0), 'database.maxTimeMS'),
    row('maxPoolSize', integer(1), 'database.maxPoolSize'),
    row('serverSelectionTimeoutMS', integer(1), 'database.serverSelectionTimeoutMS'),
    row('waitQueueTimeoutMS', integer(1), 'database.waitQueueTimeoutMS'),
    row('maxCommitTimeMS', integer(1), 'database.maxCommitTimeMS'),
    row('retryWritesMS', integer(0), 'database.retryWritesMS'),
    row('totals.maxTimeMS', integer(1), 'database.totalMaxTimeMS'),
    row('totals.maxAgeMS', integer(0), 'database.totalMaxAgeMS'),
    row('maxIds', integer(0), 'database.maxIds'),
    row('migrations', oneOf('refuse', 'run', 'ignore'), 'database.migrations'),
    row('lookups', oneOf('auto', 'sets', 'rows'), 'database.lookups'),
  ],
  admin: [row('apiToken.salt', text, 'secrets.apiTokenSalt')],
  roles: [row('', roles, 'roles')],
  plugins: [
    row('upload.config.provider', oneOf('local', 'gridfs'), 'plugins.upload.provider'),
    row('upload.config.sizeLimit', integer(1), 'plugins.upload.sizeLimit'),
    row('upload.config.maxPixels', integer(1), 'plugins.upload.maxPixels'),
    row('upload.config.breakpoints', numbers, 'plugins.upload.breakpoints'),
    row('upload.config.security.allowedTypes', texts, 'plugins.upload.security.allowedTypes'),
    row('upload.config.security.deniedTypes', texts, 'plugins.upload.security.deniedTypes'),
    row(`${up}.jwtSecret`, text, 'secrets.jwtSecret'),
    row(`${up}.jwt.expiresIn`, textOrNumber, 'plugins.usersPermissions.jwt.expiresIn'),
    row(`${up}.jwtManagement`, oneOf('legacy-support', 'refresh'), 'plugins.usersPermissions.jwtManagement'),
    row(
      `${up}.sessions.accessTokenLifespan`,
      integer(1),
      'plugins.usersPermissions.sessions.accessTokenLifespan',
    ),
    row(
      `${up}.sessions.idleRefreshTokenLifespan`,
      integer(1),
      'plugins.usersPermissions.sessions.idleRefreshTokenLifespan',
    ),
    row(
      `${up}.sessions.maxRefreshTokenLifespan`,
      integer(1),
      'plugins.usersPermissions.sessions.maxRefreshTokenLifespan',
    ),
    row(`${up}.sessions.httpOnly`, flag, 'plugins.usersPermissions.sessions.httpOnly'),
    row(`${up}.register.allowedFields`, texts, 'plugins.usersPermissions.register.allowedFields'),
    row(`${up}.ratelimit.enabled`, flag, 'plugins.usersPermissions.ratelimit.enabled'),
    row(`${up}.ratelimit.interval`, interval, 'plugins.usersPermissions.ratelimit.interval'),
    row(`${up}.ratelimit.max`, integer(1), 'plugins.usersPermissions.ratelimit.max'),
    row(`${up}.ratelimit.maxPerAddress`, integer(1), 'plugins.usersPermissions.ratelimit.maxPerAddress'),
    row(`${up}.advanced.unique_email`, flag, 'plugins.usersPermissions.advanced.unique_email'),
    row(`${up}.advanced.allow_register`, flag, 'plugins.usersPermissions.advanced.allow_register'),
    row(`${up}.advanced.email_confirmation`, flag, 'plugins.usersPermissions.advanced.email_confirmation'),
    row(
      `${up}.advanced.email_reset_password`,
      textOrNull,
      'plugins.usersPermissions.advanced.email_reset_password',
    ),
    row(
      `${up}.advanced.email_confirmation_redirection`,
      textOrNull,
      'plugins.usersPermissions.advanced.email_confirmation_redirection',
    ),
    row(`${up}.advanced.default_role`, text, 'plugins.usersPermissions.advanced.default_role'),
    row('i18n.config.defaultLocale', text, 'plugins.i18n.defaultLocale'),
    row('i18n.config.locales', texts, 'plugins.i18n.locales'),
    row('email.config.providerOptions', recordOrText, 'plugins.email.providerOptions'),
    row('email.config.settings.defaultFrom', text, 'plugins.email.settings.defaultFrom'),
    row('email.config.settings.defaultReplyTo', text, 'plugins.email.settings.defaultReplyTo'),
  ],
};

/** Keys of Strapi's that mean nothing here, so that a project's own files bring no warning. `*` is any one key. */
export const WITHOUT_EFFECT: Readonly<Record<string, readonly string[]>> = {
  api: [],
  server: ['app', 'admin', 'cron', 'dirs', 'emitErrors', 'http', 'logger', 'transfer', 'webhooks', 'openapi'],
  // Strapi's SQL database: the content is in MongoDB here.
  database: ['connection', 'settings'],
  admin: ['*'],
  roles: [],
  plugins: ['*.enabled', '*.resolve', 'email.config.provider', 'upload.config.providerOptions'],
};

/** Options of single middlewares in config/middlewares (rules J.2). */
export const MIDDLEWARES: Readonly<Record<string, readonly Setting[]>> = {
  'strapi::logger': [
    row(
      'level',
      oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
      'middlewares.logger.level',
    ),
  ],
  'strapi::errors': [],
  'strapi::security': [row('', record, 'middlewares.security')],
  'strapi::cors': [
    // It narrows whom it answers, so nobody is let in by its absence.
    { ...row('origin', textList, 'middlewares.cors.origin'), notCalled: [] },
    row('expose', textList, 'middlewares.cors.expose'),
    row('maxAge', integer(0), 'middlewares.cors.maxAge'),
    row('credentials', flag, 'middlewares.cors.credentials'),
    row('methods', textList, 'middlewares.cors.methods'),
    row('headers', textList, 'middlewares.cors.headers'),
    row('keepHeadersOnError', flag, 'middlewares.cors.keepHeadersOnError'),
  ],
  'strapi::poweredBy': [row('poweredBy', text, 'middlewares.poweredBy')],
  'strapi::query': [
    row('arrayLimit', integer(0), 'query.arrayLimit'),
    row('depth', integer(1), 'query.depth'),
    row('parameterLimit', integer(1), 'query.parameterLimit'),
  ],
  'strapi::body': [
    row('jsonLimit', textOrNumber, 'middlewares.body.jsonLimit'),
    row('formLimit', textOrNumber, 'middlewares.body.formLimit'),
    row('formidable.maxFileSize', integer(1), 'middlewares.body.maxFileSize'),
  ],
  'strapi::public': [row('maxAge', integer(0), 'middlewares.public.maxAge')],
  'strapi::compression': [],
  'strapi::responseTime': [],
  'strapi::session': [],
  'strapi::favicon': [],
};

/** Their options of Strapi's that mean nothing here. */
export const MIDDLEWARES_WITHOUT_EFFECT: Readonly<Record<string, readonly string[]>> = {
  'strapi::errors': ['*'],
  'strapi::cors': ['enabled'],
  'strapi::query': ['strictNullHandling'],
  'strapi::body': [
    'textLimit',
    'multipart',
    'patchKoa',
    'includeUnparsed',
    'parsedMethods',
    'encoding',
    'formidable',
  ],
  'strapi::public': ['defer', 'index', 'hidden', 'format', 'gzip', 'brotli', 'extensions'],
  'strapi::compression': ['*'],
  'strapi::responseTime': ['*'],
  'strapi::session': ['*'],
  'strapi::favicon': ['*'],
};

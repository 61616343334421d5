import { hidden, PLUGINS, plugins, up } from './plugin-settings.js';
import {
  bytes,
  flag,
  integer,
  limitOrNone,
  oneOf,
  orNull,
  port,
  prefix,
  proxy,
  record,
  recordOfTexts,
  roles,
  text,
  textList,
  textOrNumber,
  texts,
  trueOrTexts,
} from './readers.js';
import { Switchable, settingsOf } from './setting.js';

const MEGABYTE = 1_000_000;

const api = settingsOf('api');
const server = settingsOf('server');
const database = settingsOf('database');
const admin = settingsOf('admin');
const cors = settingsOf('strapi::cors');
const query = settingsOf('strapi::query');
const body = settingsOf('strapi::body');
/** What follows from the presence of something else. */
const derived = settingsOf(null);

const withoutPassword = (uri: string | null): string | null =>
  uri?.replace(/\/\/([^:@/]+):[^@/]+@/, '//$1:***@') ?? null;

/**
 * Every setting, where it stands in `Config` (rules J.1, J.2, 0.4). A row is all there is of a setting: the type of `Config`, the
 * reading of files and variables, the defaults, docs/configuration.md and `config dump` are made from it.
 */
export const SETTINGS = {
  environment: derived('', text, 'development', 'which `config/env/` folder counts').from('NODE_ENV'),
  rest: {
    prefix: api('rest.prefix', prefix, '/api', 'path before every route'),
    defaultLimit: api('rest.defaultLimit', integer(1), 25, 'entries of a page where the caller does not say'),
    maxLimit: api('rest.maxLimit', limitOrNone, 100, 'maximum entries of a page; -1 or null: no limit'),
    withCount: api('rest.withCount', flag, true, 'totals in `meta.pagination`'),
    strictParams: api('rest.strictParams', flag, false, 'unknown query keys are a 400'),
    componentIds: api('rest.componentIds', flag, false, 'components show their `id` (Strapi: true)'),
    publicDrafts: api('rest.publicDrafts', flag, false, 'drafts without a credential (Strapi: true)'),
    compat: api(
      'rest.compat',
      orNull(oneOf('v3', 'v4')),
      null,
      '`v3` or `v4`: content is asked for and answered as that version of Strapi does ([from-strapi](from-strapi.md#old-clients))',
    ),
  },
  documents: {
    strictParams: api(
      'documents.strictParams',
      flag,
      false,
      'bad values of `status`, `locale` and pagination are a 400',
    ),
    strictRelations: api('documents.strictRelations', flag, false, 'required relations must be given'),
    stableIds: api('documents.stableIds', flag, true, 'publishing keeps numeric ids (Strapi: false)'),
  },
  responses: {
    privateAttributes: api('responses.privateAttributes', texts, [], 'attribute names hidden in every type'),
  },
  customFields: api(
    'customFields',
    recordOfTexts,
    {},
    'stored type of custom fields by uid: `{ "plugin::color-picker.color": "string" }`',
  ),
  code: {
    ignore: api(
      'code.ignore',
      trueOrTexts,
      [],
      "routes that a project's own code closes are served without that code: `true` for all, or names of policies, middlewares and files as `mangrove check` shows them",
    ),
    middlewares: derived('', texts, [], 'those of config/middlewares that Mangrove does not have'),
  },
  query: {
    arrayLimit: query('arrayLimit', integer(0), 100, 'members of a list in a query'),
    depth: query('depth', integer(1), 20, 'levels of brackets in a query'),
    parameterLimit: query('parameterLimit', integer(1), 1000, 'parameters of a query'),
    maxDepth: api('query.maxDepth', integer(1), 50, 'levels of objects in all parameters together'),
    maxNodes: api(
      'query.maxNodes',
      integer(1),
      10_000,
      'objects, lists and values in all parameters together',
    ),
    maxBreadth: api('query.maxBreadth', integer(1), 1000, 'keys of one object, members of one list'),
    maxPopulateDepth: api('query.maxPopulateDepth', integer(1), 20, 'levels of populate'),
    maxJoins: api(
      'query.maxJoins',
      integer(1),
      500,
      'relations, media, components and zone items that one query populates or walks through',
    ),
    maxRows: api(
      'query.maxRows',
      integer(1),
      50_000,
      'entries and files that one answer may show, each as often as it is shown',
    ),
    maxBytes: api(
      'query.maxBytes',
      integer(1),
      16 * MEGABYTE,
      'bytes that a read may bring from the database, and that its answer may take',
    ),
    heavyReads: api(
      'query.heavyReads',
      integer(1),
      2,
      'heavy reads (large pages that populate much, searches for many parts of texts) that run at the same time; others wait. On the embedded engine, which has one thread, always one',
    ),
  },
  server: {
    host: server('host', text, '0.0.0.0', 'address to listen on').from('HOST'),
    port: server('port', port, 1337, '0: any free one').from('PORT'),
    url: server(
      'url',
      orNull(text),
      null,
      'the public address, where it is another; mailed links begin with it',
    ),
    proxy: server(
      'proxy',
      proxy,
      false,
      'trust `X-Forwarded-*` of a proxy in front; `{ koa: true }` as well',
    ),
    proxyIps: server(
      'proxy.maxIpsCount',
      integer(0),
      1,
      'how many proxies add to `X-Forwarded-For`: the caller is that many from its end, so that nobody forges an address for the rate limit; 0: its first',
    ),
    publicDir: server('dirs.public', text, 'public', 'holds `uploads/`'),
    drainMs: server(
      'drainMs',
      integer(0),
      10_000,
      'milliseconds that running requests get when the server stops',
    ),
    requestMs: server(
      'requestMs',
      integer(0),
      30_000,
      'milliseconds that one request may take, including waiting but not the receiving of files; 0: no limit',
    ),
    maxPerAddress: server(
      'maxPerAddress',
      integer(0),
      32,
      'requests of one address that are worked on at the same time, others of it wait; 0: no limit. Behind a proxy this needs `proxy`',
    ),
    maxUnsentBytes: server(
      'maxUnsentBytes',
      integer(1),
      32 * MEGABYTE,
      'bytes of large answers that may wait for slow readers; beyond, the one that has waited longest is broken off',
    ),
    metrics: server(
      'metrics',
      flag,
      false,
      '`GET /metrics` for Prometheus ([events](events.md)), open to whoever can reach it',
    ),
    docs: server(
      'docs',
      orNull(flag),
      null,
      'the API as a page to read and to try, at `/docs`, of what its reader may call; null: except in production',
    ),
    mcp: server(
      'mcp.enabled',
      flag,
      false,
      'tools for agents by the Model Context Protocol at `/mcp`, with the rights of whoever asks ([mcp](mcp.md)); needs the package `@modelcontextprotocol/sdk`',
    ),
    mcpMaxBytes: server(
      'mcp.maxBytes',
      integer(1),
      MEGABYTE,
      'bytes that a tool for agents may read: its answer holds them as text and once more as structured content',
    ),
    timing: server('timing', flag, false, 'answers tell the milliseconds of their steps in `Server-Timing`'),
  },
  database: {
    uri: database('uri', orNull(text), null, 'a MongoDB deployment; null: an engine of our own')
      .from('MONGODB_URI')
      .masked(withoutPassword),
    name: database('name', orNull(text), null, 'the database; null: the one in `uri`, else `mangrove`'),
    system: database(
      'system',
      orNull(text),
      null,
      "where everything of Mangrove's own is kept apart from the [collections of other programs](on-mongodb.md): the name of another database, the address of another deployment with the database in it, or `embedded` for an engine under `dataDir`; null: in the same database",
    )
      .from('MANGROVE_SYSTEM')
      .masked(withoutPassword),
    engine: database(
      'engine',
      oneOf('embedded', 'mongod'),
      'embedded',
      'what serves without `uri`: `embedded` or `mongod`',
    ).from('MANGROVE_ENGINE'),
    engineVersion: database(
      'engineVersion',
      oneOf('5.0', '6.0', '7.0'),
      '7.0',
      'the version of MongoDB that the embedded engine keeps to, `5.0`, `6.0` or `7.0`: what is newer it does not know, so that what a deployment of 5.0 would refuse is refused in development',
    ).from('MANGROVE_ENGINE_VERSION'),
    dataDir: database('dataDir', text, '.data', 'where that engine and the secrets are kept').from(
      'MANGROVE_DATA',
    ),
    maxTimeMS: database('maxTimeMS', integer(0), 5000, 'milliseconds that one read may take'),
    maxPoolSize: database('maxPoolSize', integer(1), 50, 'connections'),
    serverSelectionTimeoutMS: database(
      'serverSelectionTimeoutMS',
      integer(1),
      10_000,
      'milliseconds to wait for a server, or for a new primary; then the answer is a 503',
    ),
    waitQueueTimeoutMS: database(
      'waitQueueTimeoutMS',
      integer(1),
      10_000,
      'milliseconds to wait for a free connection; then a 503',
    ),
    maxCommitTimeMS: database(
      'maxCommitTimeMS',
      integer(1),
      10_000,
      'milliseconds that the commit of a write may take on the server; then a 503',
    ),
    retryWritesMS: database(
      'retryWritesMS',
      integer(0),
      20_000,
      'milliseconds within which a write that a failover interrupts is tried again; then a 503',
    ),
    totalMaxTimeMS: database(
      'totals.maxTimeMS',
      integer(1),
      2000,
      'milliseconds that the total of a page may take to count. A page never fails over it: it then has the last total that is known, or as many as it shows and one more, and `meta.pagination.exact` is `false`',
    ),
    totalMaxAgeMS: database(
      'totals.maxAgeMS',
      integer(0),
      0,
      'milliseconds that a total stands for later pages of the same filter, said by `exact: false`; 0: every page counts anew',
    ),
    totalKeptMS: database(
      'totals.keptMS',
      integer(0),
      1000,
      'milliseconds that a total is kept for later pages of the same filter. What this server writes is seen at once, what others write when the time is over; 0: every page counts anew',
    ),
    maxIds: database(
      'maxIds',
      integer(0),
      10_000,
      'ids that a filter or a sort through a relation may find before the page is read; above, the database joins row by row',
    ),
    migrations: database(
      'migrations',
      oneOf('refuse', 'run', 'ignore'),
      'refuse',
      'what a start does where stored content does not follow the schema ([migrations](migrations.md)): `refuse`, `run` what is pending, or `ignore`',
    ),
    lookups: database(
      'lookups',
      oneOf('auto', 'sets', 'rows'),
      'auto',
      'how relations are populated and sorted by: `sets`, one lookup a path for all rows of a page; `rows`, one for each row; `auto`, as the server is faster ([figures](decisions/001-populate-strategy.md))',
    ),
  },
  middlewares: {
    logger: {
      level: settingsOf('strapi::logger')(
        'level',
        oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
        'info',
        'which [events](events.md) are logged: from `fatal` to `trace`, or `silent`',
      ).from('LOG_LEVEL'),
    },
    security: settingsOf('strapi::security')('', orNull(record), {}, "helmet's options"),
    cors: new Switchable({
      origin: cors(
        'origin',
        textList,
        ['*'],
        '`*`: every site may read, without credentials; else those listed',
      ).uncalled([]),
      expose: cors('expose', textList, [], 'headers that a page may read'),
      maxAge: cors('maxAge', integer(0), 31_536_000, 'seconds that a preflight answer is kept'),
      credentials: cors('credentials', flag, true, 'cookies of listed origins'),
      methods: cors(
        'methods',
        textList,
        ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'],
        'methods that a page may use',
      ),
      headers: cors(
        'headers',
        textList,
        ['Content-Type', 'Authorization', 'Origin', 'Accept'],
        'headers that a page may send',
      ),
      keepHeadersOnError: cors('keepHeadersOnError', flag, true, 'refusals carry the headers, too'),
    }),
    poweredBy: settingsOf('strapi::poweredBy')(
      'poweredBy',
      orNull(text),
      'Mangrove',
      'the header `X-Powered-By`',
    ),
    compression: derived('', flag, false, 'answers of text as brotli or gzip'),
    responseTime: derived('', flag, false, '`X-Response-Time`'),
    body: {
      jsonLimit: body('jsonLimit', textOrNumber, '1mb', 'a body of JSON, in bytes or as `5mb`'),
      formLimit: body('formLimit', textOrNumber, '56kb', 'a body of a form'),
      maxFileSize: body('formidable.maxFileSize', bytes, 200 * MEGABYTE, 'bytes of one uploaded file'),
    },
    public: {
      maxAge: settingsOf('strapi::public')(
        'maxAge',
        integer(0),
        60_000,
        'milliseconds that a browser keeps an uploaded file',
      ),
    },
  },
  plugins: PLUGINS,
  roles: settingsOf('roles')('', orNull(roles), null, 'who may do what from the start'),
  // Empty: made once and kept.
  secrets: {
    jwtSecret: plugins(`${up}.jwtSecret`, text, '', 'signs sign-in tokens').from('JWT_SECRET').masked(hidden),
    apiTokenSalt: admin('apiToken.salt', text, '', 'keys of API tokens are hashed with it')
      .from('API_TOKEN_SALT')
      .masked(hidden),
  },
};

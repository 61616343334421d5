import { hidden, PLUGINS } from './plugin-settings.js';
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
  recordOfTypes,
  roles,
  text,
  textList,
  textOrNumber,
  texts,
  trueOrTexts,
} from './readers.js';
import { inFile, Switchable, setting } from './setting.js';

const MEGABYTE = 1_000_000;

const withoutPassword = (uri: string | null): string | null =>
  uri?.replace(/\/\/([^:@/]+):[^@/]+@/, '//$1:***@') ?? null;

/**
 * Every setting, where it stands in `Config` (rules J.1, J.2, 0.4). A row is all there is of a setting: the type of `Config`, the
 * reading of files and variables, the defaults, docs/configuration.md and `config dump` are made from it.
 */
export const SETTINGS = {
  environment: setting(text, 'development').about('which `config/env/` folder counts').from('NODE_ENV'),
  rest: inFile('api', 'rest', {
    prefix: setting(prefix, '/api').about('path before every route'),
    defaultLimit: setting(integer(1), 25).about('entries of a page where the caller does not say'),
    maxLimit: setting(limitOrNone, 100).about('maximum entries of a page; -1 or null: no limit'),
    withCount: setting(flag, true).about('totals in `meta.pagination`'),
    strictParams: setting(flag, false).about('unknown query keys are a 400'),
    componentIds: setting(flag, false).about('components show their `id` (Strapi: true)'),
    publicDrafts: setting(flag, false).about('drafts without a credential (Strapi: true)'),
    compat: setting(orNull(oneOf('v3', 'v4')), null).about(
      '`v3` or `v4`: content is asked for and answered as that version of Strapi does ([from-strapi](from-strapi.md#old-clients))',
    ),
  }),
  documents: inFile('api', 'documents', {
    strictParams: setting(flag, false).about('bad values of `status`, `locale` and pagination are a 400'),
    strictRelations: setting(flag, false).about('required relations must be given'),
    stableIds: setting(flag, true).about('publishing keeps numeric ids (Strapi: false)'),
  }),
  responses: inFile('api', 'responses', {
    privateAttributes: setting(texts, []).about('attribute names hidden in every type'),
  }),
  ...inFile('api', '', {
    customFields: setting(recordOfTypes, {}).about(
      'stored type of custom fields by uid: `{ "plugin::color-picker.color": "string" }`',
    ),
  }),
  code: {
    ...inFile('api', 'code', {
      ignore: setting(trueOrTexts, []).about(
        "routes that a project's own code closes are served without that code: `true` for all, or names of policies, middlewares and files as `mangrove check` shows them",
      ),
    }),
    middlewares: setting(texts, []).about('those of config/middlewares that Mangrove does not have'),
  },
  query: {
    ...inFile('strapi::query', '', {
      arrayLimit: setting(integer(0), 100).about('members of a list in a query'),
      depth: setting(integer(1), 20).about('levels of brackets in a query'),
      parameterLimit: setting(integer(1), 1000).about('parameters of a query'),
    }),
    ...inFile('api', 'query', {
      maxDepth: setting(integer(1), 50).about('levels of objects in all parameters together'),
      maxNodes: setting(integer(1), 10_000).about('objects, lists and values in all parameters together'),
      maxBreadth: setting(integer(1), 1000).about('keys of one object, members of one list'),
      maxPopulateDepth: setting(integer(1), 20).about('levels of populate'),
      maxJoins: setting(integer(1), 500).about(
        'relations, media, components and zone items that one query populates or walks through',
      ),
      maxRows: setting(integer(1), 50_000).about(
        'entries and files that one answer may show, each as often as it is shown',
      ),
      maxBytes: setting(integer(1), 16 * MEGABYTE).about(
        'bytes that a read may bring from the database, and that its answer may take',
      ),
      heavyReads: setting(integer(1), 2).about(
        'heavy reads (large pages that populate much, searches for many parts of texts) that run at the same time; others wait. On the embedded engine, which has one thread, always one',
      ),
    }),
  },
  server: inFile('server', '', {
    host: setting(text, '0.0.0.0').about('address to listen on').from('HOST'),
    port: setting(port, 1337).about('0: any free one').from('PORT'),
    url: setting(orNull(text), null).about(
      'the public address, where it is another; mailed links begin with it',
    ),
    proxy: setting(proxy, false).about('trust `X-Forwarded-*` of a proxy in front; `{ koa: true }` as well'),
    proxyIps: setting(integer(0), 1, 'proxy.maxIpsCount').about(
      'how many proxies add to `X-Forwarded-For`: the caller is that many from its end, so that nobody forges an address for the rate limit; 0: its first',
    ),
    publicDir: setting(text, 'public', 'dirs.public').about('holds `uploads/`'),
    drainMs: setting(integer(0), 10_000).about(
      'milliseconds that running requests get when the server stops',
    ),
    requestMs: setting(integer(0), 30_000).about(
      'milliseconds that one request may take, including waiting but not the receiving of files; 0: no limit',
    ),
    maxPerAddress: setting(integer(0), 32).about(
      'requests of one address that are worked on at the same time, others of it wait; 0: no limit. Behind a proxy this needs `proxy`',
    ),
    maxUnsentBytes: setting(integer(1), 32 * MEGABYTE).about(
      'bytes of large answers that may wait for slow readers; beyond, the one that has waited longest is broken off',
    ),
    metrics: setting(flag, false).about(
      '`GET /metrics` for Prometheus ([events](events.md)), open to whoever can reach it',
    ),
    docs: setting(orNull(flag), null).about(
      'the API as a page to read and to try, at `/docs`, of what its reader may call; null: except in production',
    ),
    mcp: setting(flag, false, 'mcp.enabled').about(
      'tools for agents by the Model Context Protocol at `/mcp`, with the rights of the caller ([mcp](mcp.md)); needs the package `@modelcontextprotocol/sdk`',
    ),
    mcpMaxBytes: setting(integer(1), MEGABYTE, 'mcp.maxBytes').about(
      'bytes that a tool for agents may read: its answer holds them as text and once more as structured content',
    ),
    timing: setting(flag, false).about('answers tell the milliseconds of their steps in `Server-Timing`'),
  }),
  database: inFile('database', '', {
    uri: setting(orNull(text), null)
      .about('a MongoDB deployment; null: an engine of our own')
      .from('MONGODB_URI')
      .masked(withoutPassword),
    name: setting(orNull(text), null).about('the database; null: the one in `uri`, else `mangrove`'),
    system: setting(orNull(text), null)
      .about(
        "where everything of Mangrove's own is kept apart from the [collections of other programs](on-mongodb.md): the name of another database, the address of another deployment with the database in it, or `embedded` for an engine under `dataDir`; null: in the same database",
      )
      .from('MANGROVE_SYSTEM')
      .masked(withoutPassword),
    engine: setting(oneOf('embedded', 'mongod'), 'embedded')
      .about('what serves without `uri`: `embedded` or `mongod`')
      .from('MANGROVE_ENGINE'),
    engineVersion: setting(oneOf('5.0', '6.0', '7.0'), '7.0')
      .about(
        'the version of MongoDB that the embedded engine keeps to, `5.0`, `6.0` or `7.0`: what is newer it does not know, so that what a deployment of 5.0 would refuse is refused in development',
      )
      .from('MANGROVE_ENGINE_VERSION'),
    dataDir: setting(text, '.data').about('where that engine and the secrets are kept').from('MANGROVE_DATA'),
    maxTimeMS: setting(integer(0), 5000).about('milliseconds that one read may take'),
    maxPoolSize: setting(integer(1), 50).about('connections'),
    serverSelectionTimeoutMS: setting(integer(1), 10_000).about(
      'milliseconds to wait for a server, or for a new primary; then the answer is a 503',
    ),
    waitQueueTimeoutMS: setting(integer(1), 10_000).about(
      'milliseconds to wait for a free connection; then a 503',
    ),
    maxCommitTimeMS: setting(integer(1), 10_000).about(
      'milliseconds that the commit of a write may take on the server; then a 503',
    ),
    retryWritesMS: setting(integer(0), 20_000).about(
      'milliseconds within which a write that a failover interrupts is tried again; then a 503',
    ),
    totalMaxTimeMS: setting(integer(1), 2000, 'totals.maxTimeMS').about(
      'milliseconds that the total of a page may take to count. A page never fails over it: it then has the last total that is known, or as many as it shows and one more, and `meta.pagination.exact` is `false`',
    ),
    totalMaxAgeMS: setting(integer(0), 0, 'totals.maxAgeMS').about(
      'milliseconds that a total stands for later pages of the same filter, said by `exact: false`; 0: every page counts again',
    ),
    totalKeptMS: setting(integer(0), 1000, 'totals.keptMS').about(
      'milliseconds that a total is kept for later pages of the same filter. What this server writes is seen at once, what others write when the time is over; 0: every page counts again',
    ),
    maxIds: setting(integer(0), 10_000).about(
      'ids that a filter or a sort through a relation may find before the page is read; above, the database joins row by row',
    ),
    migrations: setting(oneOf('refuse', 'run', 'ignore'), 'refuse').about(
      'what a start does where stored content does not follow the schema ([migrations](migrations.md)): `refuse`, `run` what is pending, or `ignore`',
    ),
    lookups: setting(oneOf('auto', 'sets', 'rows'), 'auto').about(
      'how relations are populated and sorted by: `sets`, one lookup a path for all rows of a page; `rows`, one for each row; `auto`, as the server is faster ([figures](decisions/001-populate-strategy.md))',
    ),
  }),
  middlewares: {
    logger: inFile('strapi::logger', '', {
      level: setting(oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'), 'info')
        .about('which [events](events.md) are logged: from `fatal` to `trace`, or `silent`')
        .from('LOG_LEVEL'),
    }),
    ...inFile('strapi::security', '', {
      security: setting(orNull(record), {}, '').about("helmet's options"),
    }),
    cors: new Switchable(
      inFile('strapi::cors', '', {
        origin: setting(textList, ['*'])
          .about('`*`: every site may read, without credentials; else those listed')
          .uncalled([]),
        expose: setting(textList, []).about('headers that a page may read'),
        maxAge: setting(integer(0), 31_536_000).about('seconds that a preflight answer is kept'),
        credentials: setting(flag, true).about('cookies of listed origins'),
        methods: setting(textList, ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']).about(
          'methods that a page may use',
        ),
        headers: setting(textList, ['Content-Type', 'Authorization', 'Origin', 'Accept']).about(
          'headers that a page may send',
        ),
        keepHeadersOnError: setting(flag, true).about('refusals carry the headers, too'),
      }),
    ),
    ...inFile('strapi::poweredBy', '', {
      poweredBy: setting(orNull(text), 'Mangrove').about('the header `X-Powered-By`'),
    }),
    compression: setting(flag, false).about('answers of text as brotli or gzip'),
    responseTime: setting(flag, false).about('`X-Response-Time`'),
    body: inFile('strapi::body', '', {
      jsonLimit: setting(textOrNumber, '1mb').about('a body of JSON, in bytes or as `5mb`'),
      formLimit: setting(textOrNumber, '56kb').about('a body of a form'),
      maxFileSize: setting(bytes, 200 * MEGABYTE, 'formidable.maxFileSize').about(
        'bytes of one uploaded file',
      ),
    }),
    public: inFile('strapi::public', '', {
      maxAge: setting(integer(0), 60_000).about('milliseconds that a browser keeps an uploaded file'),
    }),
  },
  plugins: PLUGINS,
  ...inFile('roles', '', { roles: setting(orNull(roles), null, '').about('who may do what from the start') }),
  // Empty: made once and kept.
  secrets: {
    ...inFile('plugins', 'users-permissions.config', {
      jwtSecret: setting(text, '').about('signs sign-in tokens').from('JWT_SECRET').masked(hidden),
    }),
    ...inFile('admin', '', {
      apiTokenSalt: setting(text, '', 'apiToken.salt')
        .about('keys of API tokens are hashed with it')
        .from('API_TOKEN_SALT')
        .masked(hidden),
    }),
  },
};

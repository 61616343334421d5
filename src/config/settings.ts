import { hidden, PLUGINS } from './plugin-settings.js';
import {
  bytes,
  flag,
  integerFrom,
  limitOrNone,
  oneOf,
  origins,
  orNull,
  port,
  prefix,
  proxy,
  record,
  recordOfTexts,
  recordOfTypes,
  roles,
  textList,
  textOrNumber,
  textSetting,
  texts,
  textsByName,
  trueOrTexts,
} from './readers.js';
import { inFile, Switchable, setting } from './setting.js';

const MEGABYTE = 1_000_000;

const withoutPassword = (uri: string | null): string | null =>
  uri?.replace(/\/\/([^:@/]+):[^@/]+@/, '//$1:***@') ?? null;

/** Definitions of endpoints without what only the receiver may know. */
const withoutSecrets = (endpoints: Readonly<Record<string, unknown>>): unknown =>
  Object.fromEntries(
    Object.entries(endpoints).map(([name, endpoint]) => [
      name,
      typeof endpoint === 'object' && endpoint !== null
        ? {
            ...endpoint,
            ...('secret' in endpoint && { secret: hidden() }),
            ...('headers' in endpoint && { headers: hidden() }),
          }
        : endpoint,
    ]),
  );

/**
 * Every setting, at its place in `Config`. Everything is derived from these rows: the type of `Config`, the
 * reading of files and variables, the defaults, docs/configuration.md and `config dump`.
 */
export const SETTINGS = {
  environment: setting(textSetting, 'development')
    .about('which `config/env/` folder is used')
    .from('NODE_ENV'),
  rest: inFile('api', 'rest', {
    prefix: setting(prefix, '/api').about("prefix of every route; none if `rest.compat` is `'v3'`"),
    defaultLimit: setting(integerFrom(1), 25).about('default page size'),
    maxLimit: setting(limitOrNone, 100).about('maximum page size; -1 or null: no limit'),
    withCount: setting(flag, true).about('include totals in `meta.pagination`'),
    strictParams: setting(flag, false).about('unknown query keys are a 400'),
    etags: setting(flag, false).about(
      'reads of content have an `ETag` and are a 304 if the client has the same; other than in Strapi ([contract](contract.md#reading-what-has-changed))',
    ),
    cacheControl: setting(textsByName, {}).about(
      '`Cache-Control` of reads of content, by action and role: `{ "api::article.article.find": { "public": "max-age=60" } }`, `token` for API tokens; always `private` for callers with a credential',
    ),
    maxBatch: setting(integerFrom(0), 100).about(
      'maximum number of operations of `POST /batch`; 0: there is no such route ([batch](batch.md))',
    ),
    componentIds: setting(flag, false).about('components include their `id` (Strapi: true)'),
    publicDrafts: setting(flag, false).about('drafts can be read without credentials (Strapi: true)'),
    compat: setting(orNull(oneOf('v3', 'v4')), null).about(
      '`v3` or `v4`: requests and responses use the formats of that version of Strapi ([from-strapi](from-strapi.md#old-clients))',
    ),
  }),
  documents: inFile('api', 'documents', {
    strictParams: setting(flag, false).about('invalid values of `status`, `locale` and pagination are a 400'),
    strictRelations: setting(flag, false).about('required relations are enforced'),
    stableIds: setting(flag, true).about('publishing keeps numeric ids (Strapi: false)'),
  }),
  responses: inFile('api', 'responses', {
    privateAttributes: setting(texts, []).about('names of attributes that are private in every type'),
  }),
  ...inFile('api', '', {
    customFields: setting(recordOfTypes, {}).about(
      'the type that each custom field is stored as: `{ "plugin::color-picker.color": "string" }`',
    ),
  }),
  code: {
    ...inFile('api', 'code', {
      run: setting(flag, true).about(
        "run the code of a Strapi project; `false`: only routes without code of the project's own are served ([strapi-code](strapi-code.md))",
      ),
      ignore: setting(trueOrTexts, []).about(
        'code that would stop the start, or with `code.run: false` close routes, is left out: `true` for all, or names of files and middlewares as in the messages',
      ),
    }),
    middlewares: setting(texts, []).about('entries of config/middlewares that Mangrove does not have'),
    plugins: setting(recordOfTexts, {}).about(
      'folders of plugins that config/plugins switches on by their path',
    ),
  },
  query: {
    ...inFile('strapi::query', '', {
      arrayLimit: setting(integerFrom(0), 100).about('maximum length of a list in a query'),
      depth: setting(integerFrom(1), 20).about('maximum bracket nesting in a query'),
      parameterLimit: setting(integerFrom(1), 1000).about('maximum number of parameters in a query'),
    }),
    ...inFile('api', 'query', {
      maxDepth: setting(integerFrom(1), 50).about('maximum nesting of objects, over all parameters'),
      maxNodes: setting(integerFrom(1), 10_000).about(
        'maximum number of objects, lists and values, over all parameters',
      ),
      maxBreadth: setting(integerFrom(1), 1000).about(
        'maximum number of keys in an object or members in a list',
      ),
      maxPopulateDepth: setting(integerFrom(1), 20).about('maximum nesting of populate'),
      maxJoins: setting(integerFrom(1), 500).about(
        'maximum number of relations, media, components and zone items that a query populates or passes through',
      ),
      maxRows: setting(integerFrom(1), 50_000).about(
        'maximum number of entries and files in a response, counting repetitions',
      ),
      maxBytes: setting(integerFrom(1), 16 * MEGABYTE).about(
        'maximum bytes that a read fetches from the database, and of its response',
      ),
      heavyReads: setting(integerFrom(1), 2).about(
        'heavy reads (large pages with much populated, many substring searches) that may run concurrently; others wait. Always 1 on the embedded engine, which has one thread',
      ),
    }),
  },
  server: inFile('server', '', {
    host: setting(textSetting, '0.0.0.0').about('address to listen on').from('HOST'),
    port: setting(port, 1337).about('0: any free port').from('PORT'),
    url: setting(orNull(textSetting), null).about('the public URL, if different; used for links in emails'),
    proxy: setting(proxy, false).about(
      'trust the `X-Forwarded-*` headers of a reverse proxy; `{ koa: true }` does the same',
    ),
    proxyIps: setting(integerFrom(0), 1, 'proxy.maxIpsCount').about(
      'how many proxies add to `X-Forwarded-For`: the caller is that many addresses from its end, so that callers cannot forge their address; 0: the first address',
    ),
    publicDir: setting(textSetting, 'public', 'dirs.public').about('the folder that contains `uploads/`'),
    drainMs: setting(integerFrom(0), 10_000).about(
      'milliseconds that requests in progress get when the server stops',
    ),
    requestMs: setting(integerFrom(0), 30_000).about(
      'maximum milliseconds per request, including waiting but not receiving files; 0: no limit',
    ),
    maxPerAddress: setting(integerFrom(0), 32).about(
      'maximum concurrent requests from one address, further ones wait; 0: no limit. Behind a proxy this requires `proxy`',
    ),
    maxPasswords: setting(integerFrom(0), 20).about(
      'maximum values of `password` attributes in the body of a request: each takes some 75 ms to hash',
    ),
    maxUnsentBytes: setting(integerFrom(1), 32 * MEGABYTE).about(
      'maximum bytes of large responses waiting for slow clients; beyond that, the one that has waited longest is aborted',
    ),
    metrics: setting(flag, false).about(
      '`GET /metrics` for Prometheus ([events](events.md)), open to anyone who can reach it. Needs `prom-client`, an optional dependency that npm installs by default',
    ),
    docs: setting(orNull(flag), null).about(
      'an interactive page at `/docs` for the routes that its reader may call; null: only outside production',
    ),
    mcp: setting(flag, false, 'mcp.enabled').about(
      'tools for AI agents (Model Context Protocol) at `/mcp`, with the permissions of the caller ([mcp](mcp.md)); requires the package `@modelcontextprotocol/sdk`',
    ),
    mcpMaxBytes: setting(integerFrom(1), MEGABYTE, 'mcp.maxBytes').about(
      'maximum bytes that an agent tool may read; its response contains them twice, as text and as structured content',
    ),
    timing: setting(flag, false).about('report the duration of each step in the `Server-Timing` header'),
  }),
  changes: inFile('server', 'changes', {
    days: setting(integerFrom(1), 7).about(
      'days for which changes are kept for their readers, such as `mangrove changes` and webhooks ([in-time](in-time.md))',
    ),
    maxBytes: setting(integerFrom(1), 1000 * MEGABYTE).about(
      'maximum bytes of kept changes: the oldest are deleted before their time',
    ),
  }),
  live: inFile('server', 'live', {
    maxStreams: setting(integerFrom(0), 1000).about(
      'maximum number of open streams of live lists, in each process ([in-time](in-time.md#live-lists)); 0: none',
    ),
    maxPerCaller: setting(integerFrom(1), 100).about(
      'maximum number of them from one address, and of one account. Behind a proxy this requires `proxy`',
    ),
  }),
  webhooks: {
    ...inFile('webhooks', '', {
      endpoints: setting(record, {}, '')
        .about('where changes are sent to, by name ([in-time](in-time.md#webhooks))')
        .masked(withoutSecrets),
    }),
    ...inFile('server', 'webhooks', {
      defaultHeaders: setting(recordOfTexts, {})
        .about('headers of every delivery')
        .masked((headers) => Object.fromEntries(Object.keys(headers).map((name) => [name, hidden()]))),
      populateRelations: setting(flag, true).about(
        'relations of an entry are populated unless its endpoint says what is; false: only components, zones and files',
      ),
      allowPrivate: setting(trueOrTexts, []).about(
        'private addresses that may be sent to: hosts, addresses and networks such as `10.0.0.0/8`; `true` for all',
      ),
      days: setting(integerFrom(1), 7).about('days for which deliveries are listed after they have ended'),
      keep: setting(integerFrom(0), 10_000).about('maximum number of ended deliveries that are listed'),
    }),
  },
  database: inFile('database', '', {
    uri: setting(orNull(textSetting), null)
      .about('a MongoDB deployment; null: the engine set by `engine`')
      .from('MONGODB_URI')
      .masked(withoutPassword),
    name: setting(orNull(textSetting), null).about(
      'the database name; null: the one in `uri`, otherwise `mangrove`',
    ),
    system: setting(orNull(textSetting), null)
      .about(
        "keeps Mangrove's own collections apart from the [collections of other programs](on-mongodb.md): the name of another database, the URI of another deployment including the database, or `embedded` for an engine under `dataDir`; null: the same database",
      )
      .from('MANGROVE_SYSTEM')
      .masked(withoutPassword),
    engine: setting(oneOf('embedded', 'mongod'), 'embedded')
      .about('the engine used without `uri`: `embedded` or `mongod`')
      .from('MANGROVE_ENGINE'),
    engineVersion: setting(oneOf('5.0', '6.0', '7.0'), '7.0')
      .about(
        'the MongoDB version that the embedded engine emulates: `5.0`, `6.0` or `7.0`. It rejects newer features, so that what your deployment would reject fails in development',
      )
      .from('MANGROVE_ENGINE_VERSION'),
    dataDir: setting(textSetting, '.data')
      .about('where that engine and the secrets are stored')
      .from('MANGROVE_DATA'),
    maxTimeMS: setting(integerFrom(0), 5000).about('maximum milliseconds per read'),
    maxPoolSize: setting(integerFrom(1), 50).about('maximum number of connections'),
    serverSelectionTimeoutMS: setting(integerFrom(1), 10_000).about(
      'milliseconds to wait for a server or a new primary; then the response is a 503',
    ),
    waitQueueTimeoutMS: setting(integerFrom(1), 10_000).about(
      'milliseconds to wait for a free connection; then a 503',
    ),
    maxCommitTimeMS: setting(integerFrom(1), 10_000).about(
      'maximum milliseconds for a commit on the server; then a 503',
    ),
    retryWritesMS: setting(integerFrom(0), 20_000).about(
      'milliseconds for which a write interrupted by a failover is retried; then a 503',
    ),
    totalMaxTimeMS: setting(integerFrom(1), 2000, 'totals.maxTimeMS').about(
      'maximum milliseconds for counting the total of a page. If it takes longer, the page has the last known total, or one more than the number of entries up to its end, and `meta.pagination.exact` is `false`',
    ),
    totalMaxAgeMS: setting(integerFrom(0), 0, 'totals.maxAgeMS').about(
      'milliseconds for which a total is reused for later pages of the same filter, marked by `exact: false`; 0: every page counts again',
    ),
    maxIds: setting(integerFrom(0), 10_000).about(
      'maximum number of ids that a filter or a sort through a relation fetches before the page is read; beyond that, the database joins row by row',
    ),
    migrations: setting(oneOf('refuse', 'run', 'ignore'), 'refuse').about(
      'what a start does if stored content does not match the schema ([migrations](migrations.md)): `refuse` to start, `run` pending migrations, or `ignore` it',
    ),
    lookups: setting(oneOf('auto', 'sets', 'rows'), 'auto').about(
      'how relations are populated and sorted by: `sets`, one lookup per path for all rows of a page; `rows`, one for each row; `auto`, whichever is faster on the server ([figures](decisions/001-populate-strategy.md))',
    ),
  }),
  middlewares: {
    logger: inFile('strapi::logger', '', {
      level: setting(oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'), 'info')
        .about('the log level for [events](events.md): from `fatal` to `trace`, or `silent`')
        .from('LOG_LEVEL'),
    }),
    ...inFile('strapi::security', '', {
      security: setting(orNull(record), {}, '').about("helmet's options"),
    }),
    cors: new Switchable(
      inFile('strapi::cors', '', {
        origin: setting(origins, ['*']).about(
          '`*`: every site may read, without credentials; otherwise the listed origins',
        ),
        expose: setting(textList, []).about('response headers that a page may read'),
        maxAge: setting(integerFrom(0), 31_536_000).about('seconds for which a preflight response is cached'),
        credentials: setting(flag, true).about('allow credentials from listed origins'),
        methods: setting(textList, ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']).about(
          'methods that a page may use',
        ),
        headers: setting(textList, ['Content-Type', 'Authorization', 'Origin', 'Accept']).about(
          'headers that a page may send',
        ),
        keepHeadersOnError: setting(flag, true).about('include the headers in error responses'),
      }),
    ),
    ...inFile('strapi::poweredBy', '', {
      poweredBy: setting(orNull(textSetting), 'Mangrove').about('the header `X-Powered-By`'),
    }),
    compression: setting(orNull(record), null).about(
      'answers of text as brotli or gzip, with the options of `koa-compress`',
    ),
    responseTime: setting(flag, false).about('`X-Response-Time`'),
    body: inFile('strapi::body', '', {
      jsonLimit: setting(textOrNumber, '1mb').about('maximum size of a JSON body, in bytes or as `5mb`'),
      formLimit: setting(textOrNumber, '56kb').about('maximum size of a form body'),
      textLimit: setting(textOrNumber, '56kb').about(
        "maximum size of a text body, which only a Strapi project's code reads",
      ),
      maxFileSize: setting(bytes, 200 * MEGABYTE, 'formidable.maxFileSize').about(
        'maximum bytes of an uploaded file',
      ),
    }),
    public: inFile('strapi::public', '', {
      maxAge: setting(integerFrom(0), 60_000).about('milliseconds for which browsers cache an uploaded file'),
    }),
  },
  plugins: PLUGINS,
  ...inFile('roles', '', { roles: setting(orNull(roles), null, '').about('who may do what from the start') }),
  // Empty: generated once and stored.
  secrets: {
    ...inFile('plugins', 'users-permissions.config', {
      jwtSecret: setting(textSetting, '').about('signs sign-in tokens').from('JWT_SECRET').masked(hidden),
    }),
    ...inFile('admin', '', {
      apiTokenSalt: setting(textSetting, '', 'apiToken.salt')
        .about('used to hash the keys of API tokens')
        .from('API_TOKEN_SALT')
        .masked(hidden),
    }),
  },
};

import type { AppEvent } from '../events/events.js';
import type { ServerConfig } from './server-config.js';

/**
 * Everything that can be set, with its unit. One frozen value that is passed in, never imported. Defaults are in `defaults.ts`;
 * where a value comes from (`config/*.js`, the environment) is in the tables `settings.ts` and `variables.ts`.
 */
export interface Config {
  /** The project: the folder that holds `content-types/` and `config/`. Absolute. */
  readonly root: string;
  /** NODE_ENV; `development` where it is not set. */
  readonly environment: string;
  readonly rest: RestConfig;
  readonly documents: DocumentsConfig;
  readonly responses: { readonly privateAttributes: readonly string[] };
  /** Stored type of custom fields by uid (rules D.4). */
  readonly customFields: Readonly<Record<string, string>>;
  readonly query: QueryConfig;
  readonly code: CodeConfig;
  readonly server: ServerConfig;
  readonly database: DatabaseConfig;
  readonly middlewares: MiddlewaresConfig;
  readonly plugins: PluginsConfig;
  /** config/roles: who may do what from the start; null where there is no such file. */
  readonly roles: RolesConfig | null;
  readonly secrets: SecretsConfig;
  /** What is worth telling whoever started the program: unknown keys, settings without effect. */
  readonly warnings: readonly AppEvent[];
}

/** `api.rest` of config/api (rules J.1), and the switches of rules 0.4. */
export interface RestConfig {
  /** Begins with `/`, does not end with one. */
  readonly prefix: string;
  readonly defaultLimit: number;
  /** Null: no maximum. */
  readonly maxLimit: number | null;
  readonly withCount: boolean;
  /** Unknown query and body keys are a 400 (rules A.7). */
  readonly strictParams: boolean;
  /** Components and zone items show their `id` (rules 0.4, 1). */
  readonly componentIds: boolean;
  /** The public role may read drafts (rules 0.4, 2). */
  readonly publicDrafts: boolean;
  /** Content is asked for and answered as that version of Strapi does; null: as Strapi 5. */
  readonly compat: 'v3' | 'v4' | null;
}

/** The project's own code, which Mangrove reads and does not run. */
export interface CodeConfig {
  /** Routes that are closed because of code stay open: all of them, or those of these policies, middlewares and files. */
  readonly ignore: true | readonly string[];
  /** Those of config/middlewares that Mangrove does not have. */
  readonly middlewares: readonly string[];
}

/** `api.documents` of config/api. */
export interface DocumentsConfig {
  readonly strictParams: boolean;
  readonly strictRelations: boolean;
  /** Publishing keeps the published entry's numeric `id` (rules 0.4, 5). */
  readonly stableIds: boolean;
}

/** Bounds on what a query may cost. The first three are `qs` options of the middleware `strapi::query` (rules A.6). */
export interface QueryConfig {
  readonly arrayLimit: number;
  readonly depth: number;
  readonly parameterLimit: number;
  /** Levels of objects and arrays in all parameters together. */
  readonly maxDepth: number;
  /** Objects, arrays and values in all parameters together. */
  readonly maxNodes: number;
  /** Keys of one object, members of one array. */
  readonly maxBreadth: number;
  /** Levels of populate. */
  readonly maxPopulateDepth: number;
  /** Relations, media, components and zone items that one query populates or walks through. */
  readonly maxJoins: number;
  /** Entries and files that one answer may show, each as often as it is shown. */
  readonly maxRows: number;
  /** Bytes that a read may bring from the database, and that its answer may take. */
  readonly maxBytes: number;
  /** Reads of much weight that run at the same time. */
  readonly heavyReads: number;
}

export interface DatabaseConfig {
  /** What a start does where stored content does not follow the schema: refuse, run pending migrations, or serve all the same. */
  readonly migrations: 'refuse' | 'run' | 'ignore';
  /** A MongoDB deployment; null: an engine of our own (`engine`). */
  readonly uri: string | null;
  /** The database's name; null: the one in `uri`, else `mangrove`. */
  readonly name: string | null;
  /** Where Mangrove's own is kept: another database of the deployment, an address, or `embedded`; null: in the same one. */
  readonly system: string | null;
  /** What serves where there is no `uri`. */
  readonly engine: 'embedded' | 'mongod';
  /** The version of MongoDB that the embedded engine keeps to: what is newer, it does not know. */
  readonly engineVersion: '5.0' | '6.0' | '7.0';
  /** Where such an engine and the generated secrets are kept. Absolute. */
  readonly dataDir: string;
  /** Milliseconds that one read may take. */
  readonly maxTimeMS: number;
  readonly maxPoolSize: number;
  /** Milliseconds to wait for a server or a new primary. */
  readonly serverSelectionTimeoutMS: number;
  /** Milliseconds to wait for a free connection. */
  readonly waitQueueTimeoutMS: number;
  /** Milliseconds that a commit may take on the server. */
  readonly maxCommitTimeMS: number;
  /** Milliseconds within which a write that a failover interrupts is tried again. */
  readonly retryWritesMS: number;
  /** Milliseconds that the total of a page may take to count. */
  readonly totalMaxTimeMS: number;
  /** Milliseconds that a total stands for later pages of the same filter; 0: every page counts anew. */
  readonly totalMaxAgeMS: number;
  /** Ids that a filter or a sort through a relation may find before the page is read; above, it is done by `$lookup`. */
  readonly maxIds: number;
  /** How relations are looked up: for all rows of a page at once, or for each; `auto`: as the server is faster. */
  readonly lookups: 'auto' | 'sets' | 'rows';
}

/** Options of Strapi's middlewares (rules J.2); those that are switched off or left out of config/middlewares are null. */
export interface MiddlewaresConfig {
  readonly logger: { readonly level: LogLevel };
  /** Options of helmet. */
  readonly security: Readonly<Record<string, unknown>> | null;
  readonly cors: CorsConfig | null;
  readonly poweredBy: string | null;
  /** Answers of text as brotli or gzip. */
  readonly compression: boolean;
  /** `X-Response-Time`. */
  readonly responseTime: boolean;
  readonly body: BodyConfig;
  /** Static files of `server.publicDir`; `maxAge` in milliseconds. */
  readonly public: { readonly maxAge: number };
}

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

export interface CorsConfig {
  /** `*`: every site may read, without credentials. */
  readonly origin: string | readonly string[];
  readonly expose: readonly string[];
  /** Seconds. */
  readonly maxAge: number;
  readonly credentials: boolean;
  readonly methods: readonly string[];
  readonly headers: readonly string[];
  readonly keepHeadersOnError: boolean;
}

/** Limits as text (`1mb`) or bytes. */
export interface BodyConfig {
  readonly jsonLimit: string | number;
  readonly formLimit: string | number;
  /** Bytes of one uploaded file. */
  readonly maxFileSize: number;
}

export interface PluginsConfig {
  readonly upload: UploadConfig;
  readonly usersPermissions: UsersPermissionsConfig;
  readonly i18n: {
    readonly defaultLocale: string;
    readonly locales: readonly string[];
    /** False: nobody set them, so those that an import brought into the database are used (store/locales.ts). */
    readonly given: boolean;
  };
  readonly email: EmailConfig;
}

export interface UploadConfig {
  readonly provider: 'local' | 'gridfs';
  /** Bytes. */
  readonly sizeLimit: number;
  /** Pixels of one image, of all its frames. */
  readonly maxPixels: number;
  /** Longest side in pixels, by format name. */
  readonly breakpoints: Readonly<Record<string, number>>;
  /** MIME types or wildcards such as `image/*`; no `allowedTypes`: all but the denied. */
  readonly security: { readonly allowedTypes: readonly string[]; readonly deniedTypes: readonly string[] };
}

export interface UsersPermissionsConfig {
  /** Seconds, or text such as `30d`. */
  readonly jwt: { readonly expiresIn: string | number };
  readonly jwtManagement: 'legacy-support' | 'refresh';
  /** With `refresh`; lifespans in seconds. */
  readonly sessions: {
    readonly accessTokenLifespan: number;
    readonly idleRefreshTokenLifespan: number;
    readonly maxRefreshTokenLifespan: number;
    readonly httpOnly: boolean;
  };
  readonly register: { readonly allowedFields: readonly string[] };
  /** Attempts in `interval` milliseconds: `max` of an address on one account, `maxPerAddress` on all of them (rules H.3). */
  readonly ratelimit: {
    readonly enabled: boolean;
    readonly interval: number;
    readonly max: number;
    readonly maxPerAddress: number;
  };
  /** Strapi's advanced settings by their own names (rules H.4). */
  readonly advanced: {
    readonly unique_email: boolean;
    readonly allow_register: boolean;
    readonly email_confirmation: boolean;
    readonly email_reset_password: string | null;
    readonly email_confirmation_redirection: string | null;
    readonly default_role: string;
  };
}

export interface EmailConfig {
  /** Transport options of nodemailer, or its address; null: emails are shown in the log. */
  readonly providerOptions: Readonly<Record<string, unknown>> | string | null;
  readonly settings: { readonly defaultFrom?: string; readonly defaultReplyTo?: string };
}

/** Roles as code, by type: a list of actions, or a description with one. */
export type RolesConfig = Readonly<
  Record<
    string,
    | readonly string[]
    | { readonly name?: string; readonly description?: string; readonly permissions: readonly string[] }
  >
>;

/** Never shown: `config dump` leaves them out. */
export interface SecretsConfig {
  readonly jwtSecret: string;
  readonly apiTokenSalt: string;
}

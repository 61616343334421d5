import { join } from 'node:path';
import type { Config } from './types.js';

const MEGABYTE = 1_000_000;
const DAY = 86_400;

/** Every setting as it is where nobody says otherwise (rules J.1, J.2, 0.4). `root` is absolute. */
export const defaults = (root: string): Config => ({
  root,
  environment: 'development',
  rest: {
    prefix: '/api',
    defaultLimit: 25,
    maxLimit: 100,
    withCount: true,
    strictParams: false,
    componentIds: false,
    publicDrafts: false,
  },
  documents: { strictParams: false, strictRelations: false, stableIds: true },
  responses: { privateAttributes: [] },
  customFields: {},
  code: { ignore: [], middlewares: [] },
  query: {
    arrayLimit: 100,
    depth: 20,
    parameterLimit: 1000,
    maxDepth: 50,
    maxNodes: 10_000,
    maxBreadth: 1000,
    maxPopulateDepth: 20,
    maxJoins: 500,
  },
  server: {
    host: '0.0.0.0',
    port: 1337,
    url: null,
    proxy: false,
    proxyIps: 1,
    publicDir: join(root, 'public'),
    drainMs: 10_000,
    metrics: false,
  },
  database: {
    uri: null,
    name: null,
    engine: 'embedded',
    dataDir: join(root, '.data'),
    maxTimeMS: 5000,
    maxPoolSize: 50,
    lookups: 'auto',
  },
  middlewares: {
    logger: { level: 'info' },
    security: {},
    cors: {
      origin: '*',
      expose: [],
      maxAge: 31_536_000,
      credentials: true,
      methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'],
      headers: ['Content-Type', 'Authorization', 'Origin', 'Accept'],
      keepHeadersOnError: true,
    },
    poweredBy: 'Mangrove',
    compression: false,
    responseTime: false,
    body: { jsonLimit: '1mb', formLimit: '56kb', maxFileSize: 200 * MEGABYTE },
    public: { maxAge: 60_000 },
  },
  plugins: {
    upload: {
      provider: 'local',
      sizeLimit: 1000 * MEGABYTE,
      breakpoints: { large: 1000, medium: 750, small: 500 },
      security: { allowedTypes: [], deniedTypes: [] },
    },
    usersPermissions: {
      jwt: { expiresIn: '30d' },
      jwtManagement: 'legacy-support',
      sessions: {
        accessTokenLifespan: 600,
        idleRefreshTokenLifespan: 14 * DAY,
        maxRefreshTokenLifespan: 30 * DAY,
        httpOnly: false,
      },
      register: { allowedFields: [] },
      ratelimit: { enabled: true, interval: 60_000, max: 10 },
      advanced: {
        unique_email: true,
        allow_register: true,
        email_confirmation: false,
        email_reset_password: null,
        email_confirmation_redirection: null,
        default_role: 'authenticated',
      },
    },
    i18n: { defaultLocale: 'en', locales: ['en'] },
    email: { providerOptions: null, settings: {} },
  },
  roles: null,
  secrets: { jwtSecret: '', apiTokenSalt: '' },
  warnings: [],
});

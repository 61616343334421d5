/**
 * Keys of Strapi that have no effect here, by file or middleware, so that a Strapi project's files cause no
 * warnings. `*` is any one key.
 */
export const WITHOUT_EFFECT: Readonly<Record<string, readonly string[]>> = {
  api: [],
  server: ['app', 'admin', 'cron', 'dirs', 'emitErrors', 'http', 'logger', 'transfer', 'openapi'],
  // Strapi's SQL database; the content is in MongoDB here.
  database: ['connection', 'settings'],
  admin: ['*'],
  roles: [],
  webhooks: [],
  plugins: ['*.enabled', '*.resolve', 'email.config.provider', 'upload.config.providerOptions'],
  // Options of Strapi's middlewares.
  'strapi::logger': [],
  'strapi::security': [],
  'strapi::poweredBy': [],
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
  // Its options are those of koa-compress.
  'strapi::compression': ['*'],
  'strapi::responseTime': ['*'],
  'strapi::session': ['*'],
  'strapi::favicon': ['*'],
};

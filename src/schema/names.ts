/** rules D.6: names are compared as SQL would write them, so `createdAt` and `created_at` are one. */
export const snakeCase = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replace(/-/g, '_')
    .toLowerCase();

/**
 * Names that an attribute cannot have. `id` and `documentId` as in Strapi (rules D.6); the members of every object, because
 * the query parser drops a key of such a name, so that a filter on it would vanish.
 */
export const REFUSED_ATTRIBUTES: ReadonlySet<string> = new Set([
  'id',
  'document_id',
  ...Object.getOwnPropertyNames(Object.prototype).map(snakeCase),
]);

/** First path segments under the API prefix that are not content types (rules H.3, I.1, L.1). */
export const REFUSED_ROUTES: ReadonlySet<string> = new Set([
  'auth',
  'connect',
  'i18n',
  'upload',
  'users',
  'users-permissions',
]);

/** rules D.4: enumeration values must stay apart after this, as they become names in other languages. */
export const enumName = (value: string): string =>
  value
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, '_');

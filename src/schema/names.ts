export const KEBAB = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** The name that Strapi knows a folder or file of an API by (rules D.1): `blogPost` and `BlogPost` are `blog-post`. */
export const normalName = (name: string): string =>
  KEBAB.test(name)
    ? name
    : (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? []).map((word) => word.toLowerCase()).join('-');

/** The uid of what a file of an API is named after. */
export const uidIn = (api: string, name: string): string => `api::${normalName(api)}.${normalName(name)}`;

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

/** `openingHours` and `opening-hours` as `OpeningHours`. */
export const pascal = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .filter((part) => part !== '')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');

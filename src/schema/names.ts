export const KEBAB = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** The name that Strapi uses for a folder or file of an API: `blogPost` and `BlogPost` become `blog-post`. */
export const normalName = (name: string): string =>
  KEBAB.test(name)
    ? name
    : (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? []).map((word) => word.toLowerCase()).join('-');

/** The uid of a content type, from the names of its API and file. */
export const uidIn = (api: string, name: string): string => `api::${normalName(api)}.${normalName(name)}`;

/** Names are compared as SQL column names, so `createdAt` and `created_at` are the same. */
export const snakeCase = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replace(/-/g, '_')
    .toLowerCase();

/**
 * Names that attributes cannot have: `id` and `documentId` as in Strapi, and the properties of every object,
 * since the query parser drops keys with such names, so that a filter on them would be ignored.
 */
const REFUSED_ATTRIBUTES: ReadonlySet<string> = new Set([
  'id',
  'document_id',
  ...Object.getOwnPropertyNames(Object.prototype).map(snakeCase),
]);

/**
 * What is stored beside attributes, in entries, component items and links, or added to rows while they are read.
 * Attributes may begin with `_`, but have none of these names.
 */
const BESIDE_ATTRIBUTES =
  /^_(?:id|rev|links|version|write|draft|sibling|strapi|strapi3|pendingInverse|touched|migrated|key|[frst]\d.*|_v|_type|_component|_contentType)$/;

/** Whether no attribute may have this name. */
export const isRefusedAttribute = (name: string): boolean =>
  REFUSED_ATTRIBUTES.has(snakeCase(name)) || BESIDE_ATTRIBUTES.test(name);

/** First path segments under the API prefix that belong to other routes. */
export const REFUSED_ROUTES: ReadonlySet<string> = new Set([
  'auth',
  'connect',
  'i18n',
  'upload',
  'users',
  'users-permissions',
]);

/**
 * The values of an enumeration must be distinct in this form, since they become identifiers in other
 * languages.
 */
export const enumName = (value: string): string =>
  value
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, '_');

/** `openingHours` and `opening-hours` become `OpeningHours`. */
export const pascal = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .filter((part) => part !== '')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');

/** Strapi's list. Mangrove keeps an order of its own; what counts is which are here, and their options. */
export default [
  'strapi::logger',
  'strapi::errors',
  'strapi::security',
  'strapi::cors',
  'strapi::poweredBy',
  { name: 'strapi::query', config: { arrayLimit: 100, depth: 20 } },
  { name: 'strapi::body', config: { jsonLimit: '1mb' } },
  'strapi::favicon',
  'strapi::public',
];

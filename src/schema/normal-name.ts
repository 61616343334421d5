const KEBAB = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** The name that Strapi knows a folder or file of an API by (rules D.1): `blogPost` and `BlogPost` are `blog-post`. */
export const normalName = (name: string): string =>
  KEBAB.test(name)
    ? name
    : (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? []).map((word) => word.toLowerCase()).join('-');

/** The uid of what a file of an API is named after. */
export const uidIn = (api: string, name: string): string => `api::${normalName(api)}.${normalName(name)}`;

/** A router's path: literal parts, `:name`, also after a literal, and, at its end, `*name` for the rest. */
const PLAIN = /^(?:\/(?::\w+|[\w.~%@+!$&',;=-]+(?::\w+)?))*(?:\/\*\w+)?\/?$/;

/**
 * A path as Strapi's router reads it, in the syntax of Mangrove's: `:id?` and `(.*)` are written differently.
 * Null if it has a pattern that only regular expressions can express.
 */
export function routerPath(path: string): string | null {
  const trimmed = `/${path.trim().replace(/^\/+/, '')}`;
  const rest = trimmed.replace(/\/(?::\w+)?(?:\(\.[*+]\)|\*)$/, '/*rest');
  const optional = /^(.*)\/:(\w+)\?$/.exec(rest);
  const plain = optional ? `${optional[1]}/:${optional[2]}` : rest;
  if (!PLAIN.test(plain)) return null;
  return optional ? `${optional[1]}{/:${optional[2]}}` : plain;
}

import { isRefusedAttribute, snakeCase } from '../../schema/names.js';

/**
 * New names for attributes of another version of Strapi whose names are invalid, reserved or equal in
 * snake_case, such as `locale_v4`; the others keep theirs and are not in the result.
 * @param reserved names in snake_case that none may have
 * @param version the version of Strapi, which becomes part of a new name
 */
export function freeNames(
  keys: readonly string[],
  reserved: Iterable<string>,
  version: number,
): ReadonlyMap<string, string> {
  const taken = new Set(reserved);
  const changed = keys.filter((key) => {
    if (freeName(key, taken, version) !== key) return true;
    taken.add(snakeCase(key));
    return false;
  });
  return new Map(
    changed.map((key) => {
      const free = freeName(key, taken, version);
      taken.add(snakeCase(free));
      return [key, free] as const;
    }),
  );
}

function freeName(key: string, taken: ReadonlySet<string>, version: number): string {
  // What names are made of in schema files.
  const allowed = key.replace(/[^_\p{L}\p{M}\p{N}]/gu, '_');
  const isKept = /^_+[\p{L}\p{N}]/u.test(key) && !isRefusedAttribute(allowed);
  const plain = isKept ? allowed : allowed.replace(/^[^\p{L}]+/u, '') || 'field';
  const isTaken = (name: string): boolean => taken.has(snakeCase(name)) || isRefusedAttribute(name);
  let name = plain;
  for (let number = version; isTaken(name); number += 1) name = `${plain}_v${number}`;
  return name;
}

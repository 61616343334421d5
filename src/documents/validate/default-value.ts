import type { Attribute } from '../../schema/types.js';

/** What stands where a new entry or item is given nothing; undefined where the attribute has no default. */
export const defaultOf = (attribute: Attribute): unknown => {
  if (attribute.kind === 'scalar') {
    const value: unknown = typeof attribute.default === 'function' ? attribute.default() : attribute.default;
    return typeof value === 'object' && value !== null ? structuredClone(value) : value;
  }
  const list = attribute.kind === 'zone' || (attribute.kind === 'component' && attribute.many);
  return list && !attribute.required ? [] : undefined;
};

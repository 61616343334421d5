/** Strings are quoted, numbers and booleans bare; null for what needs JSON. */
const printSimple = (value: unknown): string | null => {
  if (value === null || value === undefined || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  if (typeof value === 'string') return `"${value}"`;
  if (typeof value === 'bigint' || typeof value === 'symbol') return String(value);
  if (typeof value === 'function') return `[Function ${value.name || 'anonymous'}]`;
  return value instanceof Date ? value.toISOString() : null;
};

/**
 * A value as Strapi's messages show it: a scalar bare (`"x"`, `5`, `null`), anything else as JSON with two spaces, whose
 * scalars are themselves quoted text (rules E.4, FINDINGS create/array-body).
 */
export const printValue = (value: unknown): string =>
  printSimple(value) ??
  JSON.stringify(value, (_key, member: unknown) => printSimple(member) ?? member, 2) ??
  String(value);

import { isAbsent } from './absent.js';

/**
 * A value as `String` prints it, which throws for an object without a `toString` function: those of a query
 * have no prototype, and in a body `toString` may be a key.
 */
export const asText = (value: unknown): string => {
  if (Array.isArray(value)) return value.map((member) => (isAbsent(member) ? '' : asText(member))).join(',');
  try {
    return String(value);
  } catch {
    return '[object Object]';
  }
};

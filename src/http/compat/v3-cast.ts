import { errors } from '../../errors.js';
import { isNumberType } from '../../schema/scalars/index.js';
import type { Attribute } from '../../schema/types.js';
import { asText } from '../../values/as-text.js';

/** The value of a filter as Strapi 3 reads it for an attribute. */
export function castV3(attribute: Attribute, operator: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => castV3(attribute, operator, one));
  if (operator === '$null') return booleanIn(attribute.name, value);
  if (attribute.kind !== 'scalar' || typeof value !== 'string') return value;
  const { type } = attribute;
  if (type === 'boolean') return booleanIn(attribute.name, value);
  if (type === 'date') return wholeDate(value);
  // JavaScript's number of an empty text.
  if (isNumberType(type) && value.trim() === '') return '0';
  // MongoDB compares what is stored with the text that was given.
  if (type === 'json' && !operator.toLowerCase().includes('contains')) return JSON.stringify(value);
  return value;
}

const BOOLEANS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ...['true', 't', '1', true].map((value) => [value, true] as const),
  ...['false', 'f', '0', false].map((value) => [value, false] as const),
]);

/** Strapi 3 refuses others with a 500. */
export function booleanIn(key: string, value: unknown): boolean {
  const found = BOOLEANS.get(value);
  if (found !== undefined) return found;
  throw errors.validation(
    'filter-value-invalid',
    `Invalid boolean input. Expected "t","1","true","false","0","f", got ${asText(value)}`,
    { key, path: key, source: 'query', param: 'filters' },
  );
}

/** A year, or a month, stands for its first day. */
const wholeDate = (value: string): string =>
  /^\d{4}(-\d\d)?$/.test(value) ? `${value}-01-01`.slice(0, 10) : value;

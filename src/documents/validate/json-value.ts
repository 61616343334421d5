import { isBson } from '../../values/bson.js';
import { isPlainObject } from '../../values/plain-object.js';

/** A key by which the driver tells its own values: it would refuse the object, or take it for another. */
const RESERVED = '_bsontype';

/**
 * Whether JSON can hold a value and MongoDB too. Instants and BSON values pass: an adopted collection may have them in what is a `json`
 * attribute now. NaN, the infinities, functions and objects of a class do not.
 */
export function isJsonValue(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object') return ['string', 'boolean', 'undefined'].includes(typeof value);
  if (value === null || value instanceof Date || isBson(value)) return true;
  if (Array.isArray(value)) return value.every(isJsonValue);
  return isPlainObject(value) && !Object.hasOwn(value, RESERVED) && Object.values(value).every(isJsonValue);
}

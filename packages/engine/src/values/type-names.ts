import { fail } from '../errors.js';
import { toDouble } from './numbers.js';
import { type BsonType, isNumeric, TYPE_NUMBERS, UNDEFINED } from './types.js';

const BY_NUMBER = new Map<number, string>(Object.entries(TYPE_NUMBERS).map(([name, code]) => [code, name]));

/** Whether a number is that of a BSON type. */
export const isTypeNumber = (code: number): boolean => BY_NUMBER.has(code);

const NUMBER_TYPES: readonly BsonType[] = ['int', 'long', 'double', 'decimal'];

/** The types in a `$type` operand: one name or number, or an array of them; `number` means four. */
export function parseTypes(operand: unknown): ReadonlySet<BsonType> {
  const out = new Set<BsonType>();
  const list = Array.isArray(operand) ? operand : [operand];
  if (list.length === 0) fail('FailedToParse', '$type must match at least one type');
  for (const item of list) {
    if (item === 'number') {
      for (const type of NUMBER_TYPES) out.add(type);
    } else if (typeof item === 'string') {
      if (!Object.hasOwn(TYPE_NUMBERS, item)) fail('BadValue', `Unknown type name alias: ${item}`);
      out.add(item as BsonType);
    } else if (isNumeric(item)) {
      const name = BY_NUMBER.get(toDouble(item));
      if (name === undefined) fail('BadValue', `Invalid numerical type code: ${toDouble(item)}`);
      out.add(name as BsonType);
    } else {
      fail('TypeMismatch', 'type must be represented as a number or a string');
    }
  }
  return out;
}

/** MongoDB's truth value of an operand: false, 0, null and undefined are false. */
export const isTruthy = (value: unknown): boolean =>
  value !== false &&
  value !== null &&
  value !== undefined &&
  value !== UNDEFINED &&
  !(isNumeric(value) && toDouble(value) === 0);

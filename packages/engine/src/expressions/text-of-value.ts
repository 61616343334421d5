import type { ObjectId } from 'bson';
import { readNumber } from '../values/numbers.js';
import { bsonTypeOf } from '../values/types.js';

/** A double as printed by MongoDB: like JavaScript, but exponents have a sign and at least two digits. */
function textOfDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  return Object.is(value, -0) ? '-0' : String(value);
}

/** The result of `$toString` for a value; undefined for a type that has none. */
export function textOfValue(value: unknown): string | undefined {
  const number = readNumber(value);
  if (number !== undefined)
    return number.type === 'double' ? textOfDouble(number.value) : number.value.toString();
  switch (bsonTypeOf(value)) {
    case 'string':
      return value as string;
    case 'symbol':
      return String(value);
    case 'bool':
      return value ? 'true' : 'false';
    case 'date':
      return (value as Date).toISOString();
    case 'objectId':
      return (value as ObjectId).toHexString();
    default:
      return undefined;
  }
}

/** Values in the BSON types that the collection uses. */
import { Decimal128, Double, Int32, Long, ObjectId } from 'bson';
import { uuidOf } from '../../schema/stored/key-forms.js';
import type { ScalarAttribute } from '../../schema/types.js';
import { isBson } from '../../values/bson.js';

/** A validated value in its BSON type; `stored` is the value it replaces, whose type it keeps if it fits. */
export function nativeValue(attribute: ScalarAttribute, value: unknown, stored: unknown): unknown {
  if (Array.isArray(value) && attribute.list) {
    const [first] = Array.isArray(stored) ? stored : [stored];
    return value.map((each) => nativeScalar(attribute, each, first));
  }
  return nativeScalar(attribute, value, stored);
}

function nativeScalar({ type }: ScalarAttribute, value: unknown, stored: unknown): unknown {
  if (typeof value === 'number') return nativeNumber(value, stored, type === 'float');
  if (typeof value !== 'string') return value;
  if (isBson(stored, 'ObjectId') && ObjectId.isValid(value) && value.length === 24)
    return ObjectId.createFromHexString(value);
  const uuid = isBson(stored, 'Binary') || isBson(stored, 'UUID') ? uuidOf(value) : null;
  return uuid ?? value;
}

function nativeNumber(value: number, stored: unknown, isFloat: boolean): unknown {
  if (isBson(stored, 'Decimal128')) return Decimal128.fromString(String(value));
  if (isBson(stored, 'Double')) return new Double(value);
  const isWhole = Number.isSafeInteger(value);
  if (isBson(stored, 'Long') && isWhole) return Long.fromNumber(value);
  if (isBson(stored, 'Int32') && isWhole && Math.abs(value) < 2 ** 31) return new Int32(value);
  return isFloat ? new Double(value) : value;
}

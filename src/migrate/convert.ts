import { readBoolean } from '../schema/scalars/boolean.js';
import { scalarOf } from '../schema/scalars/index.js';
import type { ScalarType } from '../schema/types.js';
import { isBson } from '../values/bson.js';

/** A value in the stored form of a type, or why it cannot be converted. */
type Converted = { readonly value: unknown } | { readonly why: string };

const text = (value: unknown): string => {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' && !isBson(value) ? JSON.stringify(value) : String(value);
};

const isOf = (type: ScalarType, value: unknown): boolean => {
  const { stored } = scalarOf(type);
  if (type === 'integer') return Number.isInteger(value);
  if (stored === 'number') return typeof value === 'number';
  if (stored === 'long') return isBson(value, 'Long');
  if (stored === 'decimal') return isBson(value, 'Decimal128');
  if (stored === 'date') return value instanceof Date;
  return stored === 'json' || typeof value === stored;
};

/** Converts a stored value to another type, as far as the type can read it. */
export function convertTo(type: ScalarType, value: unknown): Converted {
  const scalar = scalarOf(type);
  if (scalar.stored === 'json') return { value };
  if (scalar.isText) return { value: text(value) };
  const given = isBson(value) ? String(value) : value;
  if (scalar.stored === 'boolean') {
    const flag = readBoolean(typeof given === 'string' ? given.trim().toLowerCase() : given);
    return flag === undefined ? { why: `not true or false` } : { value: flag };
  }
  const cast = scalar.fromQuery(typeof given === 'string' ? given.trim() : given);
  if (!('value' in cast)) return { why: cast.message };
  return isOf(type, cast.value) ? cast : { why: `cannot be stored as ${type}` };
}

/** Whether every stored value of one type is also a valid stored value of the other. */
export function fitsAsIs(from: ScalarType, to: ScalarType): boolean {
  if (from === to || to === 'json') return true;
  if (from === 'password' || to === 'password') return false;
  if (from === 'integer' && to === 'float') return true;
  if ((from === 'datetime' && to === 'timestamp') || (from === 'timestamp' && to === 'datetime')) return true;
  const isText = (type: ScalarType): boolean => scalarOf(type).stored === 'string';
  return isText(from) && isText(to) && to !== 'date' && to !== 'time';
}

/** Stored scalars as the answer shows them (rules C.3). */
import type { ScalarType } from '../schema/types.js';

/** Undefined: shown as it is stored. */
export type Convert = ((value: unknown) => unknown) | undefined;

export interface ValueOptions {
  /** Dates as ISO text. Otherwise they stay `Date`s, which JSON writes the same way. */
  readonly textDates: boolean;
}

/** What becomes of a stored value that is neither null nor missing. */
export function converterOf(type: ScalarType, { textDates }: ValueOptions): Convert {
  switch (type) {
    case 'biginteger':
      return String;
    case 'integer':
    case 'float':
    case 'decimal':
      return toNumber;
    case 'datetime':
      return textDates ? toIso : undefined;
    case 'timestamp':
      return toEpoch;
    case 'json':
      return toPlain;
    default:
      return undefined;
  }
}

/** `Long` and `Decimal128` of the driver print themselves. */
const toNumber = (value: unknown): unknown => (typeof value === 'number' ? value : Number(String(value)));

const toIso = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value);

/** Milliseconds since 1970 as text. */
const toEpoch = (value: unknown): unknown =>
  value instanceof Date ? String(value.getTime()) : String(value);

/** JSON that another program stored may hold 64-bit numbers. */
function toPlain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(toPlain);
  if ('_bsontype' in value) return toNumber(value);
  if (value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toPlain(item)]));
}

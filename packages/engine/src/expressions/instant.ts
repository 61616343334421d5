import type { Document, ObjectId, Timestamp } from 'bson';
import { fail } from '../errors.js';
import { FarDate } from '../values/far-date.js';
import { bsonTypeOf, isNullish } from '../values/types.js';

/** The instant of a date, a timestamp or an ObjectId. Throws 16006 for anything else. */
export function instantOf(value: unknown): number {
  if (value instanceof FarDate)
    return fail('NotImplemented', `dates beyond the years ±275,760 have no calendar: ${value.milliseconds}`);
  if (value instanceof Date) return value.getTime();
  const type = bsonTypeOf(value);
  if (type === 'objectId') return (value as ObjectId).getTimestamp().getTime();
  if (type === 'timestamp') return (value as Timestamp).getHighBitsUnsigned() * 1000;
  return fail(16006, `can't convert from BSON type ${type} to Date`);
}

/** The zone of a `timezone` argument, by default UTC. Throws the operator's code for another type. */
export function zoneOf(value: unknown, code = 40517): string {
  if (value === undefined) return 'UTC';
  if (typeof value !== 'string')
    return fail(code, `timezone must evaluate to a string, found ${bsonTypeOf(value)}`);
  return value;
}

/** Whether an optional argument is given as null. */
export const isAbsent = (values: Document, key: string): boolean => key in values && isNullish(values[key]);

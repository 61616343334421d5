import type { Binary } from 'bson';
import { bsonTag, isDocument, isInt32 } from './types.js';
import { tick } from './work.js';

/** The size of those of the bson package's classes that have a fixed size, in bytes. The others are uncertain. */
const OF_CLASS: Readonly<Record<string, number>> = {
  ObjectId: 12,
  Long: 8,
  Timestamp: 8,
  Double: 8,
  Int32: 4,
  Decimal128: 16,
};

/** Notes the BSON size of a list, if it is already known. */
type SizeOfList = (list: readonly unknown[]) => number;

/** A lower bound for the BSON size of a value, in bytes: less only for text beyond ASCII and rare types. */
export function sizeOf(value: unknown, ofList: SizeOfList = sizeOfList): number {
  switch (typeof value) {
    case 'string':
      return value.length + 5;
    case 'number':
      return isInt32(value) ? 4 : 8;
    case 'bigint':
      return 8;
    case 'boolean':
      return 1;
    default:
      return typeof value === 'object' && value !== null ? sizeOfObject(value, ofList) : 0;
  }
}

function sizeOfObject(value: object, ofList: SizeOfList): number {
  if (Array.isArray(value)) return ofList(value);
  if (isDocument(value)) {
    let size = 5;
    for (const name of Object.keys(value))
      if (value[name] !== undefined) size += name.length + 2 + sizeOf(value[name], ofList);
    return size;
  }
  if (value instanceof Date) return 8;
  if (value instanceof Uint8Array) return value.length + 5;
  const tag = bsonTag(value) ?? '';
  return tag === 'Binary' ? (value as Binary).position + 5 : (OF_CLASS[tag] ?? 0);
}

/** The BSON size of a list, in bytes. */
export function sizeOfList(list: readonly unknown[], ofList: SizeOfList = sizeOfList): number {
  let size = 5;
  for (const item of list) {
    tick();
    size += 3 + sizeOf(item, ofList);
  }
  return size;
}

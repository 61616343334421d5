import type { Document } from 'bson';
import { bsonTypeOf } from '../values/index.js';

const nested = (value: Document): string => {
  const members = Object.entries(value).map(([name, item]) => `${name}: ${shellText(item)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
};

/** A value as MongoDB writes it into messages: `"text"`, `ObjectId('…')`, `new Date(…)`, `{ a: 1 }`. */
export function shellText(value: unknown): string {
  switch (bsonTypeOf(value)) {
    case 'string':
      return JSON.stringify(value);
    case 'objectId':
      return `ObjectId('${String(value)}')`;
    case 'date':
      return `new Date(${(value as Date).getTime()})`;
    case 'array':
      return `[ ${(value as unknown[]).map(shellText).join(', ')} ]`;
    case 'object':
      return nested(value as Document);
    case 'missing':
    case 'undefined':
      return 'undefined';
    case 'decimal':
      return `Decimal128('${String(value)}')`;
    default:
      return String(value);
  }
}

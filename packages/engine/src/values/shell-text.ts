import type { Binary, Document, Timestamp } from 'bson';
import { regexParts } from './compare.js';
import { type BsonType, bsonTypeOf } from './types.js';

const inBraces = (open: string, members: readonly string[], close: string): string =>
  members.length === 0 ? `${open}${close}` : `${open} ${members.join(', ')} ${close}`;

function doubleText(value: number): string {
  const text = String(value);
  return Number.isInteger(value) && !text.includes('e') ? `${text}.0` : text;
}

function binaryText(value: Binary): string {
  const bytes = Buffer.from(value.buffer.subarray(0, value.position));
  return `BinData(${value.sub_type}, ${bytes.toString('hex').toUpperCase()})`;
}

const TEXTS: Partial<Record<BsonType, (value: never) => string>> = {
  string: (value: string) => JSON.stringify(value),
  double: (value: unknown) => doubleText(Number(value)),
  decimal: (value: unknown) => `Decimal128('${String(value)}')`,
  objectId: (value: unknown) => `ObjectId('${String(value)}')`,
  date: (value: Date) => `new Date(${value.getTime()})`,
  timestamp: (value: Timestamp) => `Timestamp(${value.t}, ${value.i})`,
  binData: binaryText,
  regex: (value: unknown) => {
    const { pattern, options } = regexParts(value);
    return `/${pattern}/${options}`;
  },
  array: (value: unknown[]) => inBraces('[', value.map(shellText), ']'),
  object: (value: Document) =>
    inBraces(
      '{',
      Object.entries(value).map(([name, item]) => `${name}: ${shellText(item)}`),
      '}',
    ),
  missing: () => 'undefined',
  undefined: () => 'undefined',
  minKey: () => 'MinKey',
  maxKey: () => 'MaxKey',
};

/** A value in the form used in MongoDB's messages: `"text"`, `5.0`, `ObjectId('…')`, `new Date(…)`, `{ a: 1 }`. */
export function shellText(value: unknown): string {
  const text = TEXTS[bsonTypeOf(value)];
  return text === undefined ? String(value) : text(value as never);
}

import { boolean } from './boolean.js';
import { readNumber } from './float.js';
import { json, readJson } from './json.js';
import { isNullable } from './rules.js';
import { type Scalar, UNFIT } from './scalar.js';

type Read = (value: unknown) => unknown;

/**
 * Keeps what is not a number, so that validation names it; NaN inside a value would be reported as invalid
 * JSON.
 */
const number: Read = (value) => {
  const read = readNumber(value);
  return Number.isNaN(read) ? value : read;
};
const flag: Read = (value) => boolean.fromBody?.(value);
const text: Read = (value) =>
  typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;

/** By key; a map, as `valueOf` may be a key of a body. */
const MEMBERS: ReadonlyMap<string, Read> = new Map(
  Object.entries({
    level: number,
    width: number,
    height: number,
    size: number,
    bold: flag,
    italic: flag,
    underline: flag,
    strikethrough: flag,
    code: flag,
    text,
    url: text,
  }),
);

const readNode: Read = (value) => {
  if (Array.isArray(value)) return value.map(readNode);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      if (member === null) return [key, member];
      const read = typeof member === 'object' ? readNode : MEMBERS.get(key);
      return [key, read ? read(member) : member];
    }),
  );
};

/** Rich text as a list of nodes. */
export const blocks: Scalar = {
  ...json,
  readDefault: () => UNFIT,
  defaultWords: 'no default: blocks have none',
  /** Only a list is a value; anything else counts as null. */
  fromBody: (value) => {
    const list = readJson(value);
    return Array.isArray(list) ? list.map(readNode) : null;
  },
  rule: (attribute, strict) => ({
    type: isNullable(attribute, strict) ? ['array', 'null'] : 'array',
    json: true,
    items: { $ref: 'mangrove:/blocks#/definitions/block' },
  }),
  show: () => undefined,
  answerType: 'Block[]',
};

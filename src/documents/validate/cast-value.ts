/** Coercions of one value (rules E.4), so that what cannot be coerced is refused by its schema afterwards. */
import { parseJson } from '../../query/instant.js';
import type { ScalarType } from '../../schema/types.js';
import { isBson } from '../bson-value.js';

type Cast = (value: unknown) => unknown;

const asIs: Cast = (value) => value;

/** Text without its spaces, and what `parseFloat` reads of anything else; NaN where there is no number. */
const toNumber: Cast = (value) => {
  if (value === null || typeof value === 'number') return value;
  if (isBson(value, 'Decimal128') || isBson(value, 'Long')) return Number(String(value));
  if (typeof value !== 'string')
    return Number.parseFloat(
      Array.isArray(value) ? String(value) : typeof value === 'object' ? '' : String(value),
    );
  const text = value.replace(/\s/g, '');
  return text === '' ? Number.NaN : Number(text);
};

const toBoolean: Cast = (value) => {
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  if (/^(?:true|1)$/i.test(String(value))) return true;
  return /^(?:false|0)$/i.test(String(value)) ? false : value;
};

const toDigits: Cast = (value) => {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value).toString() : value;
  return isBson(value, 'Long') || typeof value === 'bigint' ? String(value) : value;
};

const toText: Cast = (value) =>
  typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;

/** Text that is JSON becomes what it says; other text stays text. */
const toJson: Cast = (value) => {
  const parsed = typeof value === 'string' ? parseJson(value) : null;
  return parsed ? parsed.value : value;
};

/** What is no number stays as it came, for its schema to name: NaN within a value would be taken for broken JSON. */
const toNodeNumber: Cast = (value) => {
  const number = toNumber(value);
  return Number.isNaN(number) ? value : number;
};

const nodeCasts: Readonly<Record<string, Cast>> = {
  level: toNodeNumber,
  width: toNodeNumber,
  height: toNodeNumber,
  size: toNodeNumber,
  bold: toBoolean,
  italic: toBoolean,
  underline: toBoolean,
  strikethrough: toBoolean,
  code: toBoolean,
  text: toText,
  url: toText,
};

const castNode: Cast = (value) => {
  if (Array.isArray(value)) return value.map(castNode);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      if (member === null) return [key, member];
      const cast = typeof member === 'object' ? castNode : nodeCasts[key];
      return [key, cast ? cast(member) : member];
    }),
  );
};

/** Only a list is a value; anything else counts as none. */
const toBlocks: Cast = (value) => {
  const list = toJson(value);
  return Array.isArray(list) ? list.map(castNode) : null;
};

const casts: Readonly<Record<ScalarType, Cast>> = {
  string: asIs,
  text: asIs,
  richtext: asIs,
  uid: asIs,
  email: asIs,
  password: asIs,
  date: asIs,
  time: asIs,
  datetime: asIs,
  timestamp: asIs,
  enumeration: toText,
  integer: toNumber,
  float: toNumber,
  decimal: toNumber,
  biginteger: toDigits,
  boolean: toBoolean,
  json: toJson,
  blocks: toBlocks,
};

/** The value as the schema of its type judges it; undefined stays undefined. */
export const castValue = (type: ScalarType, value: unknown): unknown =>
  value === undefined ? undefined : casts[type](value);

/** One item of a repeatable component or zone: an object, or text of one; anything else is no value. */
export const castItem = (value: unknown): unknown => {
  const item = toJson(value);
  return typeof item === 'object' && !Array.isArray(item) ? item : null;
};

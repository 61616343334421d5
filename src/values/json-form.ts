/**
 * How JSON shows values stored by other programs (docs/on-mongodb.md, "Values"): one form for each BSON type,
 * none of which can fail.
 */
import { type Document, EJSON } from 'bson';
import { isBson } from './bson.js';
import { isPlainObject } from './plain-object.js';

interface Bson {
  toString(encoding?: string): string;
}

/** A number if it keeps all digits, otherwise the text. */
function digits(text: string): number | string {
  const number = Number(text);
  return Number.isFinite(number) && sameDigits(text, number) ? number : text;
}

const sameDigits = (text: string, number: number): boolean =>
  /^-?\d+$/.test(text) ? Number.isSafeInteger(number) : plain(text) === plain(String(number));

/** Removes differences in notation: trailing zeros, the plus sign of the exponent, letter case. */
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace('e+', 'e')
    .replace(/^(-?\d+\.\d*?)0+(?=e|$)/, '$1')
    .replace(/\.(?=e|$)/, '');

const UUID_SUBTYPES = new Set([3, 4]);

const isUuid = (value: Document): boolean =>
  UUID_SUBTYPES.has(Number(value['sub_type'])) && Number(value['position']) === 16;

function binary(value: Document): string {
  const bytes = Buffer.from(value['buffer'] as Uint8Array).subarray(0, Number(value['position']));
  if (!isUuid(value)) return bytes.toString('base64');
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

const FORMS: Readonly<Record<string, (value: Document & Bson) => unknown>> = {
  ObjectId: String,
  Long: (value) => digits(String(value)),
  Int32: (value) => Number(String(value)),
  Double: (value) => jsonForm(Number(String(value))),
  Decimal128: (value) => digits(String(value)),
  Binary: binary,
  UUID: binary,
  BSONRegExp: (value) => `/${value['pattern']}/${value['options']}`,
  BSONSymbol: String,
  Code: (value) => value['code'],
  Timestamp: (value) => ({ t: value['t'], i: value['i'] }),
  DBRef: (value) => ({
    $ref: value['collection'],
    $id: jsonForm(value['oid']),
    ...(value['db'] ? { $db: value['db'] } : {}),
  }),
  MinKey: () => 'MinKey',
  MaxKey: () => 'MaxKey',
};

/**
 * The JSON form of any BSON value. Dates stay `Date`s, which JSON writes as ISO text; those beyond
 * JavaScript's range become `out of range`.
 */
export function jsonForm(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint') return digits(String(value));
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (Array.isArray(value)) return value.map(jsonForm);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'out of range' : value;
  if (isBson(value)) {
    const of = value as Document & Bson & { readonly _bsontype: string };
    return FORMS[of._bsontype]?.(of) ?? String(of);
  }
  if (value instanceof RegExp) return String(value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, jsonForm(item)]));
}

/** Types whose JSON form does not say what is stored. */
const EXTENDED = new Set(['Binary', 'Code', 'BSONRegExp', 'MinKey', 'MaxKey']);

/**
 * The text that identifies a document in URLs and responses; for an `_id` that has parts, such as a
 * document, an array or a timestamp, or whose text does not tell its type, its Extended JSON.
 */
export function keyText(value: unknown): string {
  const form = jsonForm(value);
  if (isPlainObject(form) || Array.isArray(form) || isExtended(value)) return extendedJson(value);
  return form instanceof Date ? form.toISOString() : String(form);
}

const isExtended = (value: unknown): boolean =>
  isBson(value) &&
  EXTENDED.has((value as Document)['_bsontype']) &&
  !(isBson(value, 'Binary') && isUuid(value as Document));

/** A document with its own `_bsontype` member cannot be written as Extended JSON. */
function extendedJson(value: unknown): string {
  try {
    return EJSON.stringify(value, { relaxed: false });
  } catch {
    return JSON.stringify(jsonForm(value));
  }
}

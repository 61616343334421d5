/**
 * The `_id`s that a string in a URL or query may stand for in an adopted collection, where `_id`s may be of
 * any type.
 */
import { Binary, Decimal128, type Document, EJSON, Long, ObjectId } from 'bson';
import { isBson } from '../../values/bson.js';
import { parseInstant } from '../../values/instant.js';
import { keyText } from '../../values/json-form.js';
import { isPlainObject } from '../../values/plain-object.js';
import type { KeyForm } from '../types.js';

/** Patterns of the texts of ObjectIds and of numbers. */
export const HEX = '^[0-9a-fA-F]{24}$';
export const DIGITS = '^(0|-?[1-9][0-9]{0,14})$';
const OBJECT_ID = new RegExp(HEX);
const INTEGER = new RegExp(DIGITS);
const UUID_TEXT = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const ISO = /^(\d{4}|[+-]\d{6})-\d\d-\d\dT[\d:.]+Z$/;
/** At most 34 digits. */
const DECIMAL = /^-?\d{1,34}(\.\d{1,34})?([eE][+-]?\d{1,4})?$/;

type KeyReader = (text: string) => readonly unknown[];

const number: KeyReader = (text) => {
  const value = Number(text);
  // The text of 12 is never "012".
  const double = text !== '' && String(value) === text ? [value] : [];
  if (/^-?\d{1,19}$/.test(text) && !Number.isSafeInteger(value)) return [...double, Long.fromString(text)];
  return Number.isSafeInteger(value) ? double : [...double, ...decimal(text)];
};

/** Decimals that no double equals: 0.1 differs in the two types. */
function decimal(text: string): readonly Decimal128[] {
  if (!DECIMAL.test(text)) return [];
  try {
    return [Decimal128.fromString(text)];
  } catch {
    return [];
  }
}

const instant: KeyReader = (text) => {
  const date = ISO.test(text) ? parseInstant(text) : null;
  return date === null ? [] : [date];
};

/**
 * The value whose Extended JSON is this text. A pattern, which would match other keys, and a document of operators are
 * no keys.
 */
function extended(text: string): readonly unknown[] {
  if (!text.startsWith('{')) return [];
  try {
    const value: unknown = EJSON.parse(text, { relaxed: false });
    return isKey(value) && keyText(value) === text ? [value] : [];
  } catch {
    return [];
  }
}

const isKey = (value: unknown): boolean =>
  isPlainObject(value)
    ? !Object.keys(value).some((name) => name.startsWith('$'))
    : !isBson(value, 'BSONRegExp');

/** A UUID as binary; null if the text is not a UUID. */
export const uuidOf = (text: string): Binary | null =>
  UUID_TEXT.test(text) ? new Binary(Buffer.from(text.replaceAll('-', ''), 'hex'), 4) : null;

const FORMS = {
  objectId: (text) => (OBJECT_ID.test(text) ? [ObjectId.createFromHexString(text)] : []),
  string: (text) => [text],
  number,
  uuid: (text) => {
    const uuid = uuidOf(text);
    return uuid === null ? [] : [uuid, new Binary(uuid.buffer, Binary.SUBTYPE_UUID_OLD)];
  },
} satisfies Record<string, KeyReader>;

const ANY: readonly KeyReader[] = [
  FORMS.string,
  FORMS.objectId,
  FORMS.number,
  FORMS.uuid,
  instant,
  (text) => (text === 'true' || text === 'false' ? [text === 'true'] : []),
  extended,
];

/** All stored values with this text; empty if the form has none. */
export const keyForms = (form: KeyForm, text: string): readonly unknown[] =>
  form === 'any' ? ANY.flatMap((read) => read(text)) : FORMS[form](text);

/**
 * The values that a string in a filter may equal: programs may store ids as strings or in their original
 * form.
 */
export const textForms = (text: string): readonly unknown[] => [
  text,
  ...FORMS.objectId(text),
  ...FORMS.uuid(text),
];

const KEYS: ReadonlySet<unknown> = new Set(['ObjectId', 'Int32', 'Long', 'Double']);

/**
 * A key in its stored form, and in its other form: an ObjectId or number as text, or a text as ObjectId or
 * number.
 */
export function allForms(value: unknown): readonly unknown[] {
  if (typeof value === 'string')
    return [value, ...FORMS.objectId(value), ...(INTEGER.test(value) ? [Number(value)] : [])];
  const isKey = typeof value === 'number' || (isBson(value) && KEYS.has((value as Document)['_bsontype']));
  return isKey ? [value, String(value)] : [value];
}

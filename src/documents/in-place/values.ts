/**
 * Values in the BSON types that the collection uses. A response shows several BSON types alike, so a body
 * says nothing of the type: what a body repeats stays as it is stored, and what it changes takes the type of
 * what it replaces, if that can hold it.
 */
import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  DBRef,
  Decimal128,
  type Document,
  Double,
  Int32,
  Long,
  ObjectId,
  Timestamp,
} from 'bson';
import { scalarForm } from '../../pipeline/populate/shape.js';
import { uuidOf } from '../../schema/stored/key-forms.js';
import type { ScalarAttribute } from '../../schema/types.js';
import { isBson } from '../../values/bson.js';
import { jsonForm } from '../../values/json-form.js';
import { isPlainObject } from '../../values/plain-object.js';

/** A scalar of a body. */
export interface GivenScalar {
  /** As received. */
  readonly given: unknown;
  /** Cast and validated. */
  readonly value: unknown;
}

/** The value to store; `stored` itself if the body repeats what a response shows of it. */
export function nativeValue(
  attribute: ScalarAttribute,
  { given, value }: GivenScalar,
  stored: unknown,
): unknown {
  if (isRenderedAs(attribute, stored, given) || isRenderedAs(attribute, stored, value)) return stored;
  if (attribute.type === 'json') return likeStored(value, stored);
  if (Array.isArray(value) && attribute.list)
    return listLike(value, Array.isArray(stored) ? stored : [stored], (each, before) =>
      nativeScalar(attribute, each, before),
    );
  return nativeScalar(attribute, attribute.type === 'decimal' ? exactDecimal(given, value) : value, stored);
}

/** Whether a response shows the stored value as `given`. Never true for passwords, which no response shows. */
const isRenderedAs = (attribute: ScalarAttribute, stored: unknown, given: unknown): boolean =>
  renderedText(attribute, stored) === givenText(attribute, given);

/** What a response shows of a stored value, as text. */
export const renderedText = (attribute: ScalarAttribute, stored: unknown): string =>
  canonical(scalarForm(attribute)(stored));

/** A value of a body as text: equal to that of the stored value that a response shows in the same way. */
export const givenText = ({ type }: ScalarAttribute, given: unknown): string =>
  type === 'password' ? '' : canonicalForm(given ?? null);

/** JSON with sorted keys. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    isPlainObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );

const canonicalForm = (value: unknown): string => canonical(jsonForm(value));

/** All digits of a number that was sent as text. */
const exactDecimal = (given: unknown, value: unknown): unknown =>
  typeof given === 'string' && /^\s*[+-]?\d+(\.\d+)?\s*$/.test(given)
    ? Decimal128.fromStringWithRounding(given.trim())
    : value;

/** A JSON value whose leaves have the types of the stored ones in their place. */
function likeStored(value: unknown, stored: unknown): unknown {
  if (canonicalForm(value) === canonicalForm(stored)) return stored;
  if (Array.isArray(value)) return listLike(value, Array.isArray(stored) ? stored : [], likeStored);
  if (isPlainObject(value) && isPlainObject(stored))
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        Object.hasOwn(stored, key) ? likeStored(inner, stored[key]) : inner,
      ]),
    );
  return restored(value, stored) ?? value;
}

/**
 * Members that are stored alike stay as stored, wherever they move; the others take the type of the member in
 * their place, or of the first one.
 */
function listLike(
  value: readonly unknown[],
  stored: readonly unknown[],
  like: (each: unknown, stored: unknown) => unknown,
): unknown[] {
  const byForm = new Map(stored.map((member) => [canonicalForm(member), member]));
  return value.map((each, index) => {
    const form = canonicalForm(each);
    const place = index < stored.length ? stored[index] : stored[0];
    if (canonicalForm(place) === form) return place;
    return byForm.has(form) ? byForm.get(form) : like(each, place);
  });
}

function nativeScalar({ type, integer }: ScalarAttribute, value: unknown, stored: unknown): unknown {
  const like = restored(value, stored);
  if (like !== undefined || typeof value !== 'number') return like ?? value;
  if (integer === 'long' && Number.isSafeInteger(value)) return Long.fromNumber(value);
  return type === 'float' || integer !== undefined ? new Double(value) : value;
}

type Restore = (value: unknown, stored: Document) => unknown;

const fromText =
  (restore: (text: string, stored: Document) => unknown): Restore =>
  (value, stored) =>
    typeof value === 'string' ? restore(value, stored) : undefined;

const isDigits = (value: unknown): boolean =>
  Number.isSafeInteger(value) || (typeof value === 'string' && /^-?\d+$/.test(value));

/** By BSON type: a JSON value in that type. Undefined or an error: it is not one that the type can hold. */
const RESTORED: Readonly<Record<string, Restore>> = {
  ObjectId: fromText((text) =>
    /^[\da-f]{24}$/i.test(text) ? ObjectId.createFromHexString(text) : undefined,
  ),
  UUID: fromText((text) => uuidOf(text) ?? undefined),
  Binary: fromText((text, { sub_type }) => uuidOf(text) ?? new Binary(Buffer.from(text, 'base64'), sub_type)),
  Long: (value) => (isDigits(value) ? Long.fromString(String(value)) : undefined),
  Int32: (value) => (typeof value === 'number' ? new Int32(value) : undefined),
  Double: (value) => (typeof value === 'number' ? new Double(value) : undefined),
  Decimal128: (value) =>
    typeof value === 'number' || typeof value === 'string' ? Decimal128.fromString(String(value)) : undefined,
  BSONRegExp: fromText((text) => {
    const [, pattern, options] = /^\/(.*)\/([a-z]*)$/s.exec(text) ?? [];
    return pattern === undefined ? undefined : new BSONRegExp(pattern, options);
  }),
  BSONSymbol: fromText((text) => new BSONSymbol(text)),
  Code: fromText((text, { scope }) => new Code(text, scope)),
  Timestamp: (value) =>
    isPlainObject(value) ? new Timestamp({ t: Number(value['t']), i: Number(value['i']) }) : undefined,
  DBRef: (value, { oid }) =>
    isPlainObject(value) && typeof value['$ref'] === 'string'
      ? new DBRef(
          value['$ref'],
          likeStored(value['$id'], oid) as ObjectId,
          typeof value['$db'] === 'string' ? value['$db'] : undefined,
        )
      : undefined,
  Date: fromText((text) => new Date(text)),
};

/** A changed value in the type of the stored one; undefined if that type would show it differently. */
function restored(changed: unknown, stored: unknown): unknown {
  const value = jsonForm(changed);
  const type =
    stored instanceof Date ? 'Date' : isBson(stored) ? String((stored as Document)['_bsontype']) : '';
  try {
    const found = RESTORED[type]?.(value, stored as Document);
    // The digits of ObjectIds and UUIDs may be written in capitals.
    const isSame =
      found !== undefined && canonicalForm(found).toLowerCase() === canonical(value).toLowerCase();
    return isSame ? found : undefined;
  } catch {
    return undefined;
  }
}

/** The ajv instance with the keywords that say what JSON Schema cannot say in Strapi's words (rules E.4). */

import { createContext, Script } from 'node:vm';
import type { Ajv as AjvClass, Options, SchemaValidateFunction } from 'ajv';
import { isLong } from '../../schema/scalars/biginteger.js';
import { isBson } from '../../values/bson.js';
import { codeOf } from '../../values/code-of.js';
import { packageOnUse } from '../../values/on-use.js';
import { isObject, isPlainObject } from '../../values/plain-object.js';

const includes = (list: unknown, value: unknown): boolean => Array.isArray(list) && list.includes(value);

const isNumber = (value: unknown): value is number => typeof value === 'number' && !Number.isNaN(value);

/** Local part and domain as in RFC 5321 without quoting, a dot in the domain, no top-level label of digits only. */
const emailPattern =
  /^[^\s@"(),:;<>[\\\]]+@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}][\p{L}\p{N}-]{0,61}[\p{L}\p{N}]$/u;

const isEmail = (text: string): boolean => {
  const local = text.slice(0, text.lastIndexOf('@'));
  return (
    text.length <= 320 &&
    emailPattern.test(text) &&
    !local.startsWith('.') &&
    !local.endsWith('.') &&
    !local.includes('..')
  );
};

/** A test of strings; anything else passes, since `type` has refused it already. */
const onText =
  (test: (text: string, limit: unknown) => boolean): SchemaValidateFunction =>
  (limit: unknown, value: unknown) =>
    typeof value !== 'string' || test(value, limit);

const onNumber =
  (test: (value: number) => boolean): SchemaValidateFunction =>
  (_limit: unknown, value: unknown) =>
    !isNumber(value) || test(value);

const matches = (text: string, limit: unknown): boolean =>
  limit instanceof RegExp && testsWithin(limit, text);

const keywords: Readonly<Record<string, SchemaValidateFunction>> = {
  /** A number; null too where the limit is `nullable`. NaN is what a cast makes of text that is not a number. */
  numeric: (limit: unknown, value: unknown) => isNumber(value) || (limit === 'nullable' && value === null),
  finite: onNumber((value) => Number.isFinite(value)),
  whole: onNumber((value) => !Number.isFinite(value) || Number.isInteger(value)),
  /** 64-bit, as the cast leaves it: text of digits. Null is for `notNil`. */
  biginteger: (_limit: unknown, value: unknown) =>
    value === null || (typeof value === 'string' && isLong(value)),
  /** What can be stored as it is, at any depth. */
  json: (_limit: unknown, value: unknown) => isJsonValue(value),
  notNil: (_limit: unknown, value: unknown) => value !== null,
  matches: onText(matches),
  matchesOrEmpty: onText((text, limit) => text === '' || matches(text, limit)),
  maxBytes: onText((text, limit) => Buffer.byteLength(text) <= Number(limit)),
  email: onText((text) => text === '' || isEmail(text)),
  notEmpty: onText((text) => text !== ''),
  minItemsOrNone: (limit: unknown, value: unknown) =>
    !Array.isArray(value) || value.length === 0 || value.length >= Number(limit),
  /** A zone item's `__component` is one that the project has. */
  knownComponent: includes,
  /** And of these, one that the attribute lists (rules 0.4 row 10). One that is not known is refused already. */
  listedComponent: (limit: unknown, value: unknown) =>
    !isObject(limit) || !includes(limit['known'], value) || includes(limit['listed'], value),
  /** A node of `blocks` whose `type` is one of these. */
  nodeType: (limit: unknown, value: unknown) => isObject(value) && includes(limit, value['type']),
};

const ajvPackage = packageOnUse<{ readonly Ajv: new (options: Options) => AjvClass }>('ajv');

/** A new instance, which finds every error or the first alone; lengths count UTF-16 units as JavaScript's `length` does. */
export const createAjv = (allErrors = true): AjvClass => {
  const { Ajv } = ajvPackage();
  const ajv = new Ajv({
    allErrors,
    verbose: true,
    strict: false,
    strictNumbers: false,
    unicode: false,
    logger: false,
    addUsedSchema: false,
    // without it a schema compiles in two thirds of the time, and a check takes some microseconds either way
    code: { optimize: false },
  } as Options);
  for (const [keyword, validate] of Object.entries(keywords))
    ajv.addKeyword({ keyword, validate, errors: false });
  ajv.addKeyword('messages');
  return ajv;
};

/** A key by which the driver tells its own values: it would refuse the object, or take it for another. */
const RESERVED = '_bsontype';

/**
 * Whether JSON can hold a value and MongoDB too. Instants and BSON values pass: an adopted collection may have them in what is a `json`
 * attribute now. NaN, the infinities, functions and objects of a class do not.
 */
function isJsonValue(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object') return ['string', 'boolean', 'undefined'].includes(typeof value);
  if (value === null || value instanceof Date || isBson(value)) return true;
  if (Array.isArray(value)) return value.every(isJsonValue);
  return isPlainObject(value) && !Object.hasOwn(value, RESERVED) && Object.values(value).every(isJsonValue);
}

/** Milliseconds that a pattern of a schema may look at one value. */
const PATIENCE = 100;

/**
 * A repeated group, whatever is in it, or two repetitions: such patterns may take a time that grows with a power of the text's length,
 * or doubles with each character.
 */
const MAY_EXPLODE = /\)[*+{]|[*+}].*[*+}]|\\[1-9]/s;

/** Texts that no pattern takes long for. */
const SHORT = 20;
/** Longer texts may take long for a single repetition, too: it is tried at each of their places. */
const LONG = 2000;

const mayTakeLong = ({ source }: RegExp, { length }: string): boolean =>
  length > LONG ? /[*+}]/.test(source) : length > SHORT && MAY_EXPLODE.test(source);

const script = new Script('pattern.test(text)');

const isTimeout = (error: unknown): boolean => codeOf(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/** Whether a string matches a schema's pattern; not, where that cannot be told in time. Its `g` and `y` flags mean nothing here. */
export function testsWithin(pattern: RegExp, text: string): boolean {
  const own = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''));
  if (!mayTakeLong(pattern, text)) return own.test(text);
  try {
    return script.runInContext(createContext({ pattern: own, text }), { timeout: PATIENCE }) === true;
  } catch (error) {
    if (isTimeout(error)) return false;
    throw error;
  }
}

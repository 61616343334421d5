/** The ajv instance, with keywords for what JSON Schema cannot express. */

import { createContext, Script } from 'node:vm';
import type { Ajv as AjvClass, Options, SchemaValidateFunction } from 'ajv';
import { isLong } from '../../schema/scalars/biginteger.js';
import { isBson } from '../../values/bson.js';
import { codeOf } from '../../values/code-of.js';
import { packageOnUse } from '../../values/on-use.js';
import { once } from '../../values/once-per.js';
import { isObject, isPlainObject } from '../../values/plain-object.js';

const includes = (list: unknown, value: unknown): boolean => Array.isArray(list) && list.includes(value);

const isNumber = (value: unknown): value is number => typeof value === 'number' && !Number.isNaN(value);

/**
 * Local part and domain as in RFC 5321 without quoting: a dot in the domain, no top-level label of digits
 * only.
 */
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

/** A test for strings; other values pass, since `type` already rejects them. */
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
  /** A number, or null if the limit is `nullable`. Casting text that is not a number gives NaN. */
  numeric: (limit: unknown, value: unknown) => isNumber(value) || (limit === 'nullable' && value === null),
  finite: onNumber((value) => Number.isFinite(value)),
  whole: onNumber((value) => Number.isInteger(value)),
  /** A 64-bit integer in its cast form, text of digits. Null is left to `notNil`. */
  biginteger: (_limit: unknown, value: unknown) =>
    value === null || (typeof value === 'string' && isLong(value)),
  /** A value that can be stored unchanged, at any depth. */
  json: (_limit: unknown, value: unknown) => isJsonValue(value),
  notNil: (_limit: unknown, value: unknown) => value !== null,
  matches: onText(matches),
  matchesOrEmpty: onText((text, limit) => text === '' || matches(text, limit)),
  maxBytes: onText((text, limit) => Buffer.byteLength(text) <= Number(limit)),
  email: onText((text) => text === '' || isEmail(text)),
  notEmpty: onText((text) => text !== ''),
  minItemsOrNone: (limit: unknown, value: unknown) =>
    !Array.isArray(value) || value.length === 0 || value.length >= Number(limit),
  /** A zone item's `__component` exists in the project */
  knownComponent: includes,
  /** and, if it does, is listed by the attribute. Unknown ones are already rejected. */
  listedComponent: (limit: unknown, value: unknown) =>
    !isObject(limit) || !includes(limit['known'], value) || includes(limit['listed'], value),
  /** A node of `blocks` whose `type` is one of these. */
  nodeType: (limit: unknown, value: unknown) => isObject(value) && includes(limit, value['type']),
};

const ajvPackage = packageOnUse<{ readonly Ajv: new (options: Options) => AjvClass }>('ajv');

/**
 * A new instance, which reports all errors or only the first. Lengths count UTF-16 units, like JavaScript's
 * `length`.
 */
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
    // they are made here, and its rules for schemas would be compiled first
    validateSchema: false,
    // without it, compiling takes a third less time; validation takes microseconds either way
    code: { optimize: false },
  } as Options);
  for (const [keyword, validate] of Object.entries(keywords))
    ajv.addKeyword({ keyword, validate, errors: false });
  ajv.addKeyword('messages');
  return ajv;
};

/** The key by which the driver recognizes BSON values: it would reject the object or take it for one. */
const RESERVED = '_bsontype';

/**
 * Whether both JSON and MongoDB can hold a value. Dates and BSON values pass, since an adopted collection may
 * have them in what is now a `json` attribute. NaN, infinities, functions and class instances do not.
 */
function isJsonValue(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object') return ['string', 'boolean', 'undefined'].includes(typeof value);
  if (value === null || value instanceof Date || isBson(value)) return true;
  if (Array.isArray(value)) return value.every(isJsonValue);
  return isPlainObject(value) && !Object.hasOwn(value, RESERVED) && Object.values(value).every(isJsonValue);
}

/** The CPU time, in milliseconds, that matching one value against a schema's pattern may take. */
const PATIENCE = 100;

/**
 * A repeated group, two repetitions or a backreference: such patterns may take polynomial or exponential
 * time.
 */
const MAY_EXPLODE = /\)[*+{]|[*+}].*[*+}]|\\[1-9]/s;

/** Length up to which no pattern takes long. */
const SHORT = 20;
/** Length from which even a single repetition may take long, because it is tried at each position. */
const LONG = 2000;

const mayTakeLong = ({ source }: RegExp, { length }: string): boolean =>
  length > LONG ? /[*+}]/.test(source) : length > SHORT && MAY_EXPLODE.test(source);

const script = new Script('pattern.test(text)');
/** Where it runs: one for all values, as making one takes longer than most matches. */
const matching = once(() => createContext({}));

/** The same for all values of one turn of the event loop, and so of a body with many items. */
const PATIENCE_PER_TURN = 300;

/** Milliseconds that are left of this turn's; null if none were used. */
let leftOfTurn: number | null = null;

const spend = (milliseconds: number): void => {
  if (leftOfTurn === null)
    setImmediate(() => {
      leftOfTurn = null;
    });
  leftOfTurn = (leftOfTurn ?? PATIENCE_PER_TURN) - milliseconds;
};

/** Milliseconds of CPU time that this process has used. */
function computedSince(began: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
}

const isTimeout = (error: unknown): boolean => codeOf(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/**
 * Whether a string matches a schema's pattern; false if matching takes too long, or if those of other values
 * have in this turn of the event loop. The `g` and `y` flags are ignored.
 */
export function testsWithin(pattern: RegExp, text: string): boolean {
  const own = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''));
  if (!mayTakeLong(pattern, text)) return own.test(text);
  const context = matching();
  Object.assign(context, { pattern: own, text });
  const patience = Math.min(PATIENCE, leftOfTurn ?? PATIENCE_PER_TURN);
  const began = process.cpuUsage();
  try {
    // The timeout of a script is wall time: if other processes had the CPU, it starts again.
    for (let left = patience; left > 0; left = patience - computedSince(began))
      try {
        return script.runInContext(context, { timeout: PATIENCE }) === true;
      } catch (error) {
        if (!isTimeout(error)) throw error;
      }
    return false;
  } finally {
    spend(computedSince(began));
  }
}

/**
 * The attribute for the scalars of one path: from the collection's validator if it is specific, otherwise
 * from the sample.
 */

import { enumName } from '../schema/names.js';
import { isPlainObject, objectAt, type PlainObject } from '../values/plain-object.js';
import { type Kind, NUMBERS } from './kinds.js';
import { wordsOf } from './names.js';
import { areIds, kindsOf, type PathValues } from './statistics.js';

/** An attribute as in a schema file. */
export type Proposed = Readonly<Record<string, unknown> & { type: string }>;

const VALIDATED: Readonly<Record<string, Kind>> = {
  string: 'string',
  int: 'int',
  integer: 'int',
  long: 'long',
  double: 'double',
  number: 'double',
  decimal: 'decimal',
  bool: 'bool',
  boolean: 'bool',
  date: 'date',
  objectId: 'objectId',
  array: 'array',
  object: 'object',
};

/**
 * The single kind that a validator allows, apart from null; undefined if it allows several or does not say.
 */
export function validatedKind(rule: PlainObject | null): Kind | undefined {
  const named = [rule?.['bsonType'] ?? rule?.['type'] ?? []].flat().filter((name) => name !== 'null');
  return named.length === 1 ? VALIDATED[String(named[0])] : undefined;
}

/** Maximum length of a single-line string. */
const LINE = 255;

/** Null if the values are of several kinds, or of a kind without a scalar type. */
export function scalarAttribute(values: PathValues, rule: PlainObject | null, name: string): Proposed | null {
  const kinds = kindsOf(values);
  const validated = validatedKind(rule);
  if (kinds.length > 1 && validated === undefined) {
    if (kinds.every((each) => NUMBERS.has(each))) return numberAttribute(kinds, values);
    return areIds(values) ? { type: 'string' } : null;
  }
  const kind = validated ?? kinds[0];
  switch (kind) {
    case 'string':
      return textAttribute(values, rule, name);
    case 'int':
    case 'long':
    case 'double':
    case 'decimal':
      return { ...numberAttribute([kind], values), ...bounds(rule) };
    case 'bool':
      return { type: 'boolean' };
    case 'date':
      return { type: 'datetime' };
    case 'objectId':
    case 'uuid':
      return { type: 'string' };
    default:
      return null;
  }
}

function numberAttribute(kinds: readonly Kind[], { numbers, count }: PathValues): Proposed {
  if (kinds.includes('decimal')) return { type: 'decimal' };
  if (kinds.includes('long') && (numbers.unsafe || count === 0)) return { type: 'biginteger' };
  const whole = count === 0 ? !kinds.includes('double') : numbers.integers && !numbers.unsafe;
  return { type: whole ? 'integer' : 'float' };
}

const bounds = (rule: PlainObject | null): PlainObject => ({
  ...(typeof rule?.['minimum'] === 'number' && rule['exclusiveMinimum'] !== true && { min: rule['minimum'] }),
  ...(typeof rule?.['maximum'] === 'number' && rule['exclusiveMaximum'] !== true && { max: rule['maximum'] }),
});

function textAttribute(values: PathValues, rule: PlainObject | null, name: string): Proposed {
  const allowed = rule?.['enum'];
  if (Array.isArray(allowed) && isEnumeration(allowed))
    return { type: 'enumeration', enum: allowed.filter(isText) };
  const { forms, longest } = values.strings;
  const lengths = {
    ...(typeof rule?.['minLength'] === 'number' && { minLength: rule['minLength'] }),
    ...(typeof rule?.['maxLength'] === 'number' && { maxLength: rule['maxLength'] }),
  };
  if (forms?.has('email')) return { type: 'email', ...lengths };
  if (forms?.has('date')) return { type: 'date' };
  if (forms?.has('slug') && /slug|permalink/i.test(name)) return { type: 'uid' };
  const few = fewValues(values);
  if (few && isEnumeration(few)) return { type: 'enumeration', enum: few };
  const most = Math.max(longest, typeof rule?.['maxLength'] === 'number' ? rule['maxLength'] : 0);
  return { type: most > LINE ? 'text' : 'string', ...lengths };
}

/** Few distinct values that each occur often are an enumeration rather than free text. */
const MAX_CHOICES = 12;
const TIMES = 20;

function fewValues({ distinct, count, kinds }: PathValues): readonly string[] | null {
  const seen = count - (kinds.get('null') ?? 0);
  if (!distinct || distinct.size < 2 || distinct.size > MAX_CHOICES || seen < distinct.size * TIMES)
    return null;
  return [...distinct.keys()].sort();
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** Whether the values form a valid enumeration; null may be among them. */
function isEnumeration(values: readonly unknown[]): boolean {
  const texts = values.filter((value) => value !== null);
  const names = texts.map((value) => (isText(value) ? enumName(value) : ''));
  return (
    texts.length > 0 &&
    texts.every((value) => isText(value) && value.trim() !== '' && value.length <= LINE) &&
    names.every((each) => !/^\p{N}/u.test(each)) &&
    new Set(names).size === names.length
  );
}

const SECRET_WORDS: ReadonlySet<string> = new Set([
  ...['password', 'passwd', 'passwort', 'passphrase', 'pwd', 'secret', 'secrets', 'salt', 'token', 'tokens'],
  ...['hash', 'hashed', 'hashedpassword', 'passwordhash', 'otp', 'ssn', 'cvv', 'cvc', 'iban'],
  ...['apikey', 'jwt'],
]);
const SECRET_PAIRS =
  /^(.* )?((api|access|auth|private|secret|encryption) key|credit card( number)?|card number)$/;

/**
 * Whether the attribute must be private, since its name says that it is a secret, or its values are password
 * hashes.
 */
export function isSecret(name: string, values: PathValues): boolean {
  if (values.strings.forms?.has('hash')) return true;
  const kinds = kindsOf(values);
  if (kinds.length > 0 && kinds.every((kind) => NUMBERS.has(kind) || kind === 'bool' || kind === 'date'))
    return false;
  const words = wordsOf(name).map((word) => word.toLowerCase());
  return (
    words.some((word) => SECRET_WORDS.has(word)) ||
    words.join(' ') === 'pass' ||
    SECRET_PAIRS.test(words.join(' '))
  );
}

/** The validator's rule for a field. */
export function ruleFor(rule: PlainObject | null, name: string): PlainObject | null {
  const properties = objectAt(rule, 'properties');
  const found = Object.hasOwn(properties, name) ? properties[name] : null;
  return isPlainObject(found) ? found : null;
}

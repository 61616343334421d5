import { errors, type FieldError, fieldError } from '../errors.js';
import { printValue } from '../print-value.js';
import { isObject } from '../values/plain-object.js';
import { isDeceptive } from './names.js';

/**
 * The rules for a string field of an auth body. Anything but a string is rejected first, including objects
 * and lists.
 */
export interface StringRule {
  readonly required?: boolean;
  /** Characters. */
  readonly min?: number;
  /** Characters; a longer text is not looked at any further. */
  readonly max: number;
  readonly email?: boolean;
  /** Rejects invisible characters and mixed scripts that look alike. */
  readonly plain?: boolean;
  /** Maximum length in UTF-8, and the message if it is exceeded. */
  readonly bytes?: { readonly max: number; readonly message: string };
  /**
   * The message for a value that is not a string, instead of the default one about its type. Null passes: the
   * caller handles it.
   */
  readonly otherwise?: string;
  /** Must be equal to another field. */
  readonly same?: { readonly field: string; readonly message: string };
}

export type Rules = Readonly<Record<string, StringRule>>;
/** The checked fields; required ones are present. */
type Checked<R extends Rules> = {
  readonly [K in keyof R]: R[K] extends { readonly required: true } ? string : string | undefined;
};
export type AuthBody = Readonly<Record<string, unknown>>;

/** A flag of an account: null if it is set to null, undefined if it is not given. */
export const flagIn = (values: AuthBody, name: string): boolean | null | undefined => {
  const value = values[name];
  return typeof value === 'boolean' || value === null ? value : undefined;
};

const EMAIL = /^[^\s@"<>()[\]\\,;:]+@[^\s@.]+(\.[^\s@.]+)+$/;

/** The message for a value of the wrong type. */
export const wrongType = (what: string, type: string, value: unknown): string =>
  `${what} must be a \`${type}\` type, but the final value was: \`${printValue(value)}\`.`;

const stringProblems = (name: string, value: string, rule: StringRule): string[] => {
  const { required, min, max, email, plain, bytes } = rule;
  if (value.length > max) return [bytes?.message ?? `${name} must be at most ${max} characters`];
  return [
    min !== undefined && value.length < min ? `${name} must be at least ${min} characters` : null,
    required && value === '' ? `${name} is a required field` : null,
    plain && isDeceptive(value) ? `${name} contains invalid characters` : null,
    email && value !== '' && !EMAIL.test(value) ? `${name} must be a valid email` : null,
    bytes && Buffer.byteLength(value) > bytes.max ? bytes.message : null,
  ].filter((problem) => problem !== null);
};

const problemsOf = (name: string, rule: StringRule, body: AuthBody): string[] => {
  const value = body[name];
  if (value === undefined) return rule.required ? [`${name} is a required field`] : [];
  const { same, otherwise } = rule;
  if (otherwise !== undefined && typeof value !== 'string') return value === null ? [] : [otherwise];
  const mismatch = same && value !== body[same.field] ? [same.message] : [];
  if (typeof value !== 'string') return [wrongType(name, 'string', value), ...mismatch];
  // A field that does not match the one it repeats has no further errors.
  return mismatch.length > 0 ? mismatch : stringProblems(name, value, rule);
};

/** The body as an object; throws a 400 for anything else. */
export const objectBody = (body: unknown): AuthBody => {
  if (body === undefined) return {};
  if (isObject(body)) return body;
  const message = wrongType('this', 'object', body);
  throw errors.fields([fieldError([], message, body)]);
};

/** An error for one field of a body. */
export const faultAt = (body: AuthBody, name: string, message: string): FieldError =>
  fieldError([name], message, body[name]);

/** Throws a ValidationError with all errors in `details.errors`, if there are any. */
export const throwFaults = (faults: readonly FieldError[]): void => {
  if (faults.length > 0) throw errors.fields(faults);
};

/** The error for keys that have no rule, for the bodies in which Strapi allows no others. */
export const unknownKeys = (body: unknown, rules: Rules): readonly FieldError[] => {
  const unknown = Object.keys(objectBody(body)).filter((name) => !Object.hasOwn(rules, name));
  if (unknown.length === 0) return [];
  return [fieldError([], `this field has unspecified keys: ${unknown.join(', ')}`, body)];
};

/**
 * The fields in `rules`, as strings. `others` are further errors, which are reported for fields that break no
 * rule. Throws a ValidationError with all errors in `details.errors`.
 */
export const checkBody = <const R extends Rules>(
  body: unknown,
  rules: R,
  others: readonly FieldError[] = [],
): Checked<R> => {
  const given = objectBody(body);
  const found = Object.entries(rules).flatMap(([name, rule]) =>
    problemsOf(name, rule, given).map((message) => faultAt(given, name, message)),
  );
  const named = new Set(found.map(({ path }) => path[0]));
  const problems = [...found, ...others.filter(({ path }) => !named.has(path[0]))];
  throwFaults(problems);
  return given as Checked<R>;
};

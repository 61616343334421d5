/** Converts ajv's errors to Strapi's: one table of messages, paths of strings, in the order of the schema. */

import { isDeepStrictEqual } from 'node:util';
import type { ErrorObject } from 'ajv';
import { type FieldError, fieldError } from '../../errors.js';
import { printValue } from '../../print-value.js';
import { objectAt } from '../../values/plain-object.js';

interface MessageInput {
  /** Dotted, with indexes in brackets: `links[0].label`. */
  readonly field: string;
  /** The keyword's value: a length, a list of values, a pattern, a type. */
  readonly limit: unknown;
  /** The value after coercion. */
  readonly value: unknown;
  /** The value as received. */
  readonly original: unknown;
  readonly action: 'create' | 'update';
}

type Message = (input: MessageInput) => string;

const typeName = (limit: unknown): string =>
  String(Array.isArray(limit) ? limit.find((name) => name !== 'null') : limit);

const isCast = (original: unknown, value: unknown): boolean =>
  original !== null && original !== undefined && !isDeepStrictEqual(original, value);

const wrongType: Message = ({ field, limit, value, original }) =>
  `${field} must be a \`${typeName(limit)}\` type, but the final value was: \`${printValue(value)}\`` +
  (isCast(original, value) ? ` (cast from the value \`${printValue(original)}\`).` : '.');

const mustMatch: Message = ({ field, limit }) => `${field} must match the following: "${limit}"`;

const joined = (limit: unknown): string => (Array.isArray(limit) ? limit.join(', ') : String(limit));

const oneOf: Message = ({ field, limit }) => `${field} must be one of the following values: ${joined(limit)}`;

const atLeastItems: Message = ({ field, limit }) => `${field} field must have at least ${limit} items`;

/**
 * The message for each ajv keyword. A subschema may override them with its own under the annotation keyword
 * `messages`.
 */
export const messages: Readonly<Record<string, Message>> = {
  type: wrongType,
  numeric: (input) => wrongType({ ...input, limit: 'number', value: Number.NaN }),
  finite: ({ field }) => `${field} must be a finite number`,
  whole: ({ field }) => `${field} must be an integer`,
  biginteger: ({ field }) => `${field} must be a valid integer`,
  required: ({ field }) => `${field} must be defined.`,
  json: ({ field }) => `${field} must be a value that JSON can represent`,
  notNil: ({ field, action }) => `${field} ${action === 'create' ? 'must be defined' : 'cannot be null'}.`,
  minLength: ({ field, limit }) => `${field} must be at least ${limit} characters`,
  maxLength: ({ field, limit }) => `${field} must be at most ${limit} characters`,
  maxBytes: ({ field, limit }) => `${field} must be at most ${limit} bytes`,
  minimum: ({ field, limit }) => `${field} must be greater than or equal to ${limit}`,
  maximum: ({ field, limit }) => `${field} must be less than or equal to ${limit}`,
  minItems: atLeastItems,
  maxItems: ({ field, limit }) => `${field} field must have less than or equal to ${limit} items`,
  enum: oneOf,
  matches: mustMatch,
  matchesOrEmpty: mustMatch,
  email: ({ field }) => `${field} must be a valid email`,
  notEmpty: ({ field }) => `${field} cannot be empty`,
  minItemsOrNone: atLeastItems,
  knownComponent: oneOf,
  listedComponent: ({ field, limit }) =>
    `${field} must be one of the following values: ${joined(objectAt(limit)['listed'])}`,
};

/** Fills in `{field}` and `{limit}` in a message of a subschema. */
const fillMessage = (words: string, input: MessageInput): string =>
  words.replaceAll('{field}', input.field).replaceAll('{limit}', joined(input.limit));

/** Keywords that only report a failed branch, whose own errors are listed too. */
const silent = new Set(['if']);
/** If one of these failed, other errors of the same value are dropped, */
const decisive = new Set(['type', 'numeric', 'nodeType', 'knownComponent']);
/** except these, which Strapi reports for a value of any type. */
const besides = new Set(['required', 'enum']);

const pathOf = (error: ErrorObject): string[] => {
  const path = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const missing: unknown = error.params['missingProperty'];
  return typeof missing === 'string' ? [...path, missing] : path;
};

/** `links[0].label`; `this` for the root. */
export const fieldName = (path: readonly string[]): string =>
  path.reduce(
    (name, part) => (/^\d+$/.test(part) ? `${name}[${part}]` : name ? `${name}.${part}` : part),
    '',
  ) || 'this';

const readAt = (data: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? Reflect.get(value, key)
        : undefined,
    data,
  );

const wordsOf = (error: ErrorObject): string | undefined => {
  const own: unknown = error.parentSchema?.['messages'];
  if (typeof own !== 'object' || own === null) return undefined;
  const missing: unknown = error.params['missingProperty'];
  const words: unknown = Reflect.get(own, `${error.keyword}:${missing}`) ?? Reflect.get(own, error.keyword);
  return typeof words === 'string' ? words : undefined;
};

interface FieldErrorContext {
  /** The body as received, for "(cast from the value …)". */
  readonly original: unknown;
  readonly action: 'create' | 'update';
  /** ajv paths of attributes whose errors are dropped. */
  readonly hidden: readonly string[];
  /** Names of the attributes, in order. */
  readonly order: readonly string[];
}

const toFieldError = (error: ErrorObject, context: FieldErrorContext): FieldError => {
  const path = pathOf(error);
  const value = error.keyword === 'required' ? undefined : error.data;
  const input: MessageInput = {
    field: fieldName(path),
    limit: error.schema,
    value,
    original: readAt(context.original, path),
    action: context.action,
  };
  const words = wordsOf(error);
  const message =
    words === undefined
      ? (messages[error.keyword]?.(input) ?? `${input.field} is invalid`)
      : fillMessage(words, input);
  return fieldError(path, message, value);
};

/** Whether a zone is not a list, or one of its items has no component. */
const lacksComponent = (error: ErrorObject): boolean =>
  error.params['missingProperty'] === '__component' ||
  (error.keyword === 'knownComponent' && (error.data === '' || error.data === null)) ||
  (error.keyword === 'type' && isZone(error) && error.data !== null);

const isZone = ({ parentSchema }: ErrorObject): boolean => isZoneItemSchema(objectAt(parentSchema, 'items'));

const isZoneItemSchema = (rule: unknown): boolean =>
  Object.hasOwn(objectAt(rule, 'properties', '__component'), 'knownComponent');

/**
 * Strapi's additional error for a zone item without a known component: it cannot look up the item's relations
 * either.
 */
const zoneErrors = (found: readonly ErrorObject[], original: unknown): FieldError[] => {
  const message = found.some(lacksComponent)
    ? 'Cannot build relations store from dynamiczone, component identifier is undefined'
    : found.some(
          (error) =>
            error.keyword === 'knownComponent' ||
            (error.keyword === 'type' && isZoneItemSchema(error.parentSchema)),
        )
      ? 'Invalid relations'
      : null;
  return message === null ? [] : [fieldError([], message, original)];
};

/** Whether the error lies in a hidden attribute. */
export const isHidden = (error: ErrorObject, hidden: readonly string[]): boolean => {
  const path = `/${pathOf(error).join('/')}`;
  return hidden.some((at) => path === at || path.startsWith(`${at}/`));
};

/** Further ajv errors would say nothing new, and each takes memory. */
const MAX_FOUND = 5000;

/** Each message at each path once. */
function distinct(list: readonly FieldError[]): FieldError[] {
  const seen = new Set<string>();
  return list.filter(({ path, message }) => {
    const key = `${path.join('/')} ${message}`;
    return !seen.has(key) && seen.add(key);
  });
}

/** The members of `details.errors`; empty if only hidden attributes failed. */
export const toFieldErrors = (found: readonly ErrorObject[], context: FieldErrorContext): FieldError[] => {
  const kept = found
    .slice(0, MAX_FOUND)
    .filter((error) => !silent.has(error.keyword) && !isHidden(error, context.hidden));
  const decided = new Set(
    kept.filter((error) => decisive.has(error.keyword)).map((error) => error.instancePath),
  );
  // An item that is not an object fails for every component it could be.
  const list = distinct(
    kept
      .filter(
        (error) =>
          decisive.has(error.keyword) || !decided.has(error.instancePath) || besides.has(error.keyword),
      )
      .map((error) => toFieldError(error, context)),
  );
  const place = ({ path }: FieldError): number => context.order.indexOf(path[0] ?? '');
  return [...list.sort((left, right) => place(left) - place(right)), ...zoneErrors(kept, context.original)];
};

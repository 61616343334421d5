/**
 * The words of every refused value, by the ajv keyword that refused it (rules E.4, D.7). A sub-schema may bring its own words
 * under the annotation keyword `messages`; these stand where it does not.
 */
import { isDeepStrictEqual } from 'node:util';
import { printValue } from '../../print-value.js';

export interface MessageInput {
  /** Dotted, positions in brackets: `links[0].label`. */
  readonly field: string;
  /** What the keyword asked for: a length, a list of values, a pattern, a type. */
  readonly limit: unknown;
  /** The value after coercion. */
  readonly value: unknown;
  /** The value as it came. */
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

export const joined = (limit: unknown): string => (Array.isArray(limit) ? limit.join(', ') : String(limit));

const oneOf: Message = ({ field, limit }) => `${field} must be one of the following values: ${joined(limit)}`;

const atLeastItems: Message = ({ field, limit }) => `${field} field must have at least ${limit} items`;

export const messages: Readonly<Record<string, Message>> = {
  type: wrongType,
  numeric: (input) => wrongType({ ...input, limit: 'number', value: Number.NaN }),
  finite: ({ field }) => `${field} must be a finite number`,
  whole: ({ field }) => `${field} must be an integer`,
  biginteger: ({ field }) => `${field} must be a valid integer`,
  required: ({ field }) => `${field} must be defined.`,
  json: ({ field }) => `${field} must be a value that JSON can hold`,
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
    `${field} must be one of the following values: ${joined((limit as { listed: unknown }).listed)}`,
};

/** Fills `{field}` and `{limit}` in the words that a sub-schema brings. */
export const fillMessage = (words: string, input: MessageInput): string =>
  words.replaceAll('{field}', input.field).replaceAll('{limit}', joined(input.limit));

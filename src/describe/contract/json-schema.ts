/** Words of JSON Schema that all descriptions are made of. */
import { objectAt, type PlainObject } from '../../values/plain-object.js';
import type { JsonSchema, Schemas } from './types.js';

const BASE = '#/components/schemas/';

export const ref = (name: string): JsonSchema => ({ $ref: BASE + name });

/** The name that a `$ref` leads to; undefined for anything else. */
export const referredName = (value: unknown): string | undefined =>
  typeof value === 'string' && value.startsWith(BASE) ? value.slice(BASE.length) : undefined;

/** The name that a reference leads to. */
export const nameIn = ({ $ref }: JsonSchema): string => referredName($ref) ?? '';

export const object: JsonSchema = { type: 'object' };
export const text: JsonSchema = { type: 'string' };
/** One string alone. */
export const exactly = (value: string): JsonSchema => ({ ...text, const: value });
export const integer: JsonSchema = { type: 'integer' };
/** A numeric id, also as text. */
export const idOrText: JsonSchema = { type: ['integer', 'string'] };
export const number: JsonSchema = { type: 'number' };
export const flag: JsonSchema = { type: 'boolean' };
/** `true` alone, in words: makers of clients stumble over an enumeration or constant that is not a string. */
export const always: JsonSchema = { ...flag, description: 'Always true' };
export const instant: JsonSchema = { type: 'string', format: 'date-time' };

export const listOf = (items: JsonSchema, more: JsonSchema = {}): JsonSchema => ({
  type: 'array',
  items,
  ...more,
});

export const anyOf = (...schemas: readonly JsonSchema[]): JsonSchema =>
  schemas.length === 1 && schemas[0] ? schemas[0] : { anyOf: schemas };

/** The same, or null. */
export function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values, anyOf: choices } = schema;
  const listed = Array.isArray(values) ? { enum: [...values, null] } : {};
  if (typeof type === 'string') return { ...schema, ...listed, type: [type, 'null'] };
  if (Array.isArray(type))
    return type.includes('null') ? schema : { ...schema, ...listed, type: [...type, 'null'] };
  if (Array.isArray(choices)) return { ...schema, anyOf: [...choices, { type: 'null' }] };
  return Object.keys(schema).length === 0 ? schema : anyOf(schema, { type: 'null' });
}

/** The same with words about it, after those that it has. */
export const described = (schema: JsonSchema, words: string): JsonSchema => {
  if (words === '') return schema;
  const { description } = schema;
  return { ...schema, description: typeof description === 'string' ? `${description}. ${words}` : words };
};

/** An object of exactly these members, of which `required` must be there; all of them if absent. */
export const record = (
  properties: Schemas,
  required: readonly string[] = Object.keys(properties),
): JsonSchema => ({
  type: 'object',
  additionalProperties: false,
  properties,
  ...(required.length > 0 ? { required } : {}),
});

/** The same with other members beside. */
export const openRecord = (properties: Schemas, required?: readonly string[]): JsonSchema => {
  const { additionalProperties: _, ...rest } = record(properties, required);
  return rest;
};

/** The same with members beside its own, and no others required than it says, or all of them. */
export const withMembers = (
  { properties, required, ...schema }: JsonSchema,
  members: Schemas,
  requires: 'all' | 'its own' = 'all',
): JsonSchema => {
  const all: PlainObject = { ...objectAt(properties), ...members };
  return { ...schema, properties: all, required: requires === 'all' ? Object.keys(all) : required };
};

/** One of several named schemas, told apart by the value of a member. */
export const oneOfNamed = (propertyName: string, names: ReadonlyMap<string, string>): JsonSchema =>
  names.size === 0
    ? { not: {} }
    : {
        oneOf: [...new Set(names.values())].map(ref),
        discriminator: {
          propertyName,
          mapping: Object.fromEntries([...names].map(([value, name]) => [value, BASE + name])),
        },
      };

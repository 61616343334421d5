/** JSON Schema building blocks for all descriptions. */
import { objectAt, type PlainObject } from '../../values/plain-object.js';
import type { JsonSchema, Schemas } from './types.js';

const BASE = '#/components/schemas/';

export const ref = (name: string): JsonSchema => ({ $ref: BASE + name });

/** The schema name in a `$ref`; undefined for anything else. */
export const referredName = (value: unknown): string | undefined =>
  typeof value === 'string' && value.startsWith(BASE) ? value.slice(BASE.length) : undefined;

/** The schema name in a reference. */
export const nameIn = ({ $ref }: JsonSchema): string => referredName($ref) ?? '';

export const objectSchema: JsonSchema = { type: 'object' };
export const stringSchema: JsonSchema = { type: 'string' };
/** A single string value. */
export const exactly = (value: string): JsonSchema => ({ ...stringSchema, const: value });
export const integerSchema: JsonSchema = { type: 'integer' };
/** A numeric id, also as text. */
export const idOrText: JsonSchema = { type: ['integer', 'string'] };
export const numberSchema: JsonSchema = { type: 'number' };
export const booleanSchema: JsonSchema = { type: 'boolean' };
/**
 * `true`, described in words: client generators have problems with enumerations or constants that are not
 * strings.
 */
export const trueSchema: JsonSchema = { ...booleanSchema, description: 'Always true' };
export const instantSchema: JsonSchema = { type: 'string', format: 'date-time' };

export const arrayOf = (items: JsonSchema, more: JsonSchema = {}): JsonSchema => ({
  type: 'array',
  items,
  ...more,
});

export const anyOf = (...schemas: readonly JsonSchema[]): JsonSchema =>
  schemas.length === 1 && schemas[0] ? schemas[0] : { anyOf: schemas };

/** The same schema, or null. */
export function schemaOrNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values, anyOf: choices } = schema;
  const listed = Array.isArray(values) ? { enum: [...values, null] } : {};
  if (typeof type === 'string') return { ...schema, ...listed, type: [type, 'null'] };
  if (Array.isArray(type))
    return type.includes('null') ? schema : { ...schema, ...listed, type: [...type, 'null'] };
  if (Array.isArray(choices)) return { ...schema, anyOf: [...choices, { type: 'null' }] };
  return Object.keys(schema).length === 0 ? schema : anyOf(schema, { type: 'null' });
}

/** The same schema with text appended to its description. */
export const described = (schema: JsonSchema, words: string): JsonSchema => {
  if (words === '') return schema;
  const { description } = schema;
  return { ...schema, description: typeof description === 'string' ? `${description}. ${words}` : words };
};

/** An object with exactly these members. `required` defaults to all of them. */
export const objectOf = (
  properties: Schemas,
  required: readonly string[] = Object.keys(properties),
): JsonSchema => ({
  type: 'object',
  additionalProperties: false,
  properties,
  ...(required.length > 0 ? { required } : {}),
});

/** The same, with other members allowed. */
export const openObjectOf = (properties: Schemas, required?: readonly string[]): JsonSchema => {
  const { additionalProperties: _, ...rest } = objectOf(properties, required);
  return rest;
};

/** The same schema with more members. Required are either all members or those that were required before. */
export const withMembers = (
  { properties, required, ...schema }: JsonSchema,
  members: Schemas,
  requires: 'all' | 'its own' = 'all',
): JsonSchema => {
  const all: PlainObject = { ...objectAt(properties), ...members };
  return { ...schema, properties: all, required: requires === 'all' ? Object.keys(all) : required };
};

/** One of several named schemas, identified by the value of a member. */
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

/** Schemas of values as they appear in a query string: all of its values are strings. */
import type { JsonSchema } from '../../../src/describe/contract/types.js';

const INTEGER = '^\\s*[+-]?\\d+\\s*$';
const NUMBER = '^\\s*[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?\\s*$';
const PATTERNS: Readonly<Record<string, string>> = { integer: INTEGER, number: NUMBER };

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Null comes from a name without `=`; an empty value means the same. */
const textOf = (type: string, schema: JsonSchema): JsonSchema => {
  // Any string that does not mean false is true (rules B.4).
  if (type === 'boolean') return { type: 'string' };
  const pattern = PATTERNS[type];
  if (pattern === undefined) return { ...schema, type };
  const { minimum: _, maximum: __, default: ___, ...rest } = schema;
  return { ...rest, type: 'string', pattern };
};

/** Sort directions are case-insensitive (rules A.12). */
const ORDER = '^([aA][sS][cC]|[dD][eE][sS][cC])$';
const isOrder = (values: readonly unknown[]): boolean => values.join() === 'asc,desc';

/** The same schema for strings. */
export function textForm(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(textForm);
  if (!isObject(schema)) return schema;
  const { type, enum: values, ...rest } = schema;
  const inner = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, textForm(value)]));
  const types = Array.isArray(type) ? type.map(String) : typeof type === 'string' ? [type] : [];
  // Properties may be called `type` or `enum`.
  if (types.length === 0 || isObject(type) || isObject(values)) {
    return {
      ...inner,
      ...(type === undefined ? {} : { type: textForm(type) }),
      ...(values === undefined ? {} : { enum: textForm(values) }),
    };
  }
  const listed = Array.isArray(values) ? (isOrder(values) ? { pattern: ORDER } : { enum: values }) : {};
  if (types.length === 1) return textOf(types[0] ?? '', { ...inner, ...listed });
  return { anyOf: types.map((one) => textOf(one, one === 'null' ? {} : { ...inner, ...listed })) };
}

const NUMBER_TEXT: JsonSchema = { type: 'string', pattern: '\\d' };

/** What a body may have instead of a value of these types (rules E.3). Nobody is advised to send it. */
const READ_AS: Readonly<Record<string, JsonSchema>> = {
  integer: NUMBER_TEXT,
  number: NUMBER_TEXT,
  boolean: {
    anyOf: [{ enum: [0, 1] }, { type: 'string', pattern: '^([01]|[tT][rR][uU][eE]|[fF][aA][lL][sS][eE])$' }],
  },
};

const typesOf = ({ type }: JsonSchema): string[] =>
  typeof type === 'string' ? [type] : Array.isArray(type) ? type.map(String) : [];

/** Members of relations of which anything else says nothing: a position means the end, options mean the default. */
const SAY_NOTHING = ['position', 'options'];

const openMembers = (given: JsonSchema, properties: JsonSchema): JsonSchema => ({
  ...properties,
  ...Object.fromEntries(
    SAY_NOTHING.filter((name) => isOfRelation(name, given[name])).map((name) => [name, {}]),
  ),
});

const isOfRelation = (name: string, schema: unknown): boolean => {
  if (!isObject(schema)) return false;
  if (name === 'position') return String(schema['$ref']).endsWith('/Position');
  return isObject(schema['properties']) && Object.hasOwn(schema['properties'], 'strict');
};

/** The same schema with what else Strapi takes in bodies. Rich text that is not a list counts as none (rules D.7). */
export function bodyForm(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(bodyForm);
  if (!isObject(schema)) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, bodyForm(value)]));
  const { properties } = schema;
  if (isObject(properties) && isObject(inner['properties']))
    inner['properties'] = openMembers(properties, inner['properties']);
  const others = typesOf(schema).flatMap((type) => READ_AS[type] ?? []);
  if (others.length > 0) return { anyOf: [inner, ...others] };
  const { items } = schema;
  if (!isObject(items) || items['$ref'] !== '#/components/schemas/Block') return inner;
  return { anyOf: [inner, { not: { type: 'array' } }] };
}

import { schemaAttribute } from '../query/attributes.js';
import { modelOf, targetOf } from '../schema/find.js';
import type { Attribute, Model, Schema } from '../schema/types.js';
import { isPlainObject, objectAt, type PlainObject } from '../values/plain-object.js';
import type { Values } from './types.js';

const isOperator = (name: string): boolean => name.startsWith('$');

/** A filter that no row meets: a database finds none by `Number` of a documentId. */
const NONE = { $in: [] };

const isNoId = (value: unknown): boolean =>
  typeof value === 'string' && (value.trim() === '' || Number.isNaN(Number(value)));

/** Numeric ids: a text that is none, such as a documentId, is that of no row. */
function idFilter(value: unknown): unknown {
  if (Array.isArray(value)) return { $in: value.filter((one) => !isNoId(one)) };
  if (isNoId(value)) return NONE;
  if (!isPlainObject(value)) return value;
  const { $eq, $in } = value;
  if (isNoId($eq)) return NONE;
  return Array.isArray($in) ? { ...value, $in: $in.filter((one) => !isNoId(one)) } : value;
}

/** `where` of the query engine as `filters` of the Document Service: relations may be compared with numeric ids. */
export function filtersOf(where: unknown, model: Model, schema: Schema): Values {
  if (Array.isArray(where)) return { $and: where.map((one) => filtersOf(one, model, schema)) };
  if (!isPlainObject(where)) return {};
  return Object.fromEntries(
    Object.entries(where).map(([name, value]): [string, unknown] => {
      if (name === '$and' || name === '$or')
        return [
          name,
          (Array.isArray(value) ? value : [value]).map((one: unknown) => filtersOf(one, model, schema)),
        ];
      if (name === '$not') return [name, filtersOf(value, model, schema)];
      if (Number.isNaN(value)) return ['id', NONE];
      if (name === 'id') return [name, idFilter(value)];
      const attribute = schemaAttribute(model, name);
      return [name, attribute ? filterOf(value, attribute, schema) : value];
    }),
  );
}

function filterOf(value: unknown, attribute: Attribute, schema: Schema): unknown {
  const plain: unknown = Array.isArray(value) ? { $in: value } : value;
  const target = targetOf(schema, attribute);
  if (!target) return plain;
  if (!isPlainObject(plain) || Object.keys(plain).some(isOperator)) return { id: idFilter(plain) };
  return filtersOf(plain, target, schema);
}

/** The model that an attribute of this name leads to; null: to none, or to several. */
export function targetNamed(name: string, model: Model, schema: Schema): Model | null {
  const attribute = schemaAttribute(model, name);
  return attribute ? targetOf(schema, attribute) : null;
}

/** `on` of `populate` in another form, which `convert` gives to what is asked of one type. */
export const partsOf = (
  on: unknown,
  schema: Schema,
  convert: (part: PlainObject, model: Model, schema: Schema) => Values,
): Values =>
  Object.fromEntries(
    Object.entries(objectAt(on)).map(([uid, part]) => {
      const model = modelOf(schema, uid);
      return [uid, model && isPlainObject(part) ? convert(part, model, schema) : part];
    }),
  );

/** `populate` of the query engine, whose members have `where`, `select` and `orderBy`. */
export function populateOf(populate: unknown, model: Model, schema: Schema): unknown {
  if (populate === true) return '*';
  if (!isPlainObject(populate)) return populate;
  return Object.fromEntries(
    Object.entries(populate).map(([name, inner]): [string, unknown] => {
      if (!isPlainObject(inner)) return [name, inner];
      const target = targetNamed(name, model, schema);
      if (target) return [name, askedOf(inner, target, schema)];
      const { on, populate: all, ...rest } = inner;
      return [
        name,
        {
          ...rest,
          ...(all !== undefined && { populate: all === true ? '*' : all }),
          ...(on !== undefined && { on: partsOf(on, schema, askedOf) }),
        },
      ];
    }),
  );
}

/** What one member of `populate` asks. */
function askedOf(inner: PlainObject, target: Model, schema: Schema): Values {
  const { where, select, orderBy, populate, ...rest } = inner;
  return {
    ...rest,
    ...(where !== undefined && { filters: filtersOf(where, target, schema) }),
    ...(select !== undefined && { fields: select }),
    ...(orderBy !== undefined && { sort: orderBy }),
    ...(populate !== undefined && { populate: populateOf(populate, target, schema) }),
  };
}

import { attributeNamed, mayFind, restViewer, type Viewer, visibleAttributes } from '../query/attributes.js';
import { isOperator } from '../query/operators.js';
import type { Caller } from '../query/read-plan.js';
import { modelOf, targetOf } from '../schema/find.js';
import type { Attribute, Model, Schema } from '../schema/types.js';
import { copyOf, isObject, isPlainObject } from '../values/plain-object.js';
import type { Values } from './types.js';

/** Names that every model has, whether or not they are attributes. */
const ALWAYS: ReadonlySet<string> = new Set(['id', 'documentId']);

const GROUPS: ReadonlySet<string> = new Set(['$and', '$or', '$not']);

interface Scope {
  readonly schema: Schema;
  readonly viewer: Viewer;
}

/**
 * A query without what its caller may not name: unknown and hidden attributes, and those that cannot be
 * filtered or sorted by, are left out, as Strapi's `sanitizeQuery` does. `validateQuery` refuses them
 * instead.
 */
export function sanitizeQuery(
  query: unknown,
  model: Model,
  { schema, caller }: { readonly schema: Schema; readonly caller: Caller },
): Values {
  const scope: Scope = { schema, viewer: restViewer(caller) };
  return branch(isObject(query) ? query : {}, model, scope);
}

/** The parameters of a query, or of a populated attribute; other members are copied. */
function branch(given: object, model: Model, scope: Scope): Values {
  const result: Values = { ...Object(copyOf(given)) };
  const { filters, sort, fields, populate }: Values = { ...given };
  if (filters) result['filters'] = keptFilters(filters, model, scope);
  if (sort) result['sort'] = keptSort(sort, model, scope);
  if (result['sort'] === '') delete result['sort'];
  if (fields) result['fields'] = keptFields(fields, model, scope);
  if (populate) result['populate'] = keptPopulate(populate, model, scope);
  if (result['populate'] === '') delete result['populate'];
  return result;
}

const visible = (model: Model, name: string, { viewer }: Scope): Attribute | null => {
  const named = attributeNamed(model, name, viewer);
  return named?.hidden === null ? named.attribute : null;
};

const isEmpty = (value: unknown): boolean =>
  (isPlainObject(value) || Array.isArray(value)) && Object.keys(value).length === 0;

function keptFilters(filters: unknown, model: Model, scope: Scope): unknown {
  if (Array.isArray(filters))
    return filters.map((one) => keptFilters(one, model, scope)).filter((one) => !isEmpty(one));
  if (!isPlainObject(filters)) return filters;
  const kept: Values = {};
  for (const [name, value] of Object.entries(filters)) {
    if (ALWAYS.has(name)) kept[name] = value;
    else if (isOperator(name) || GROUPS.has(name)) {
      const inner = keptFilters(value, model, scope);
      if (!isEmpty(inner)) kept[name] = inner;
    } else {
      const attribute = visible(model, name, scope);
      const target = attribute && targetOf(scope.schema, attribute);
      if (!attribute || (attribute.kind !== 'scalar' && !target)) continue;
      const inner = target ? keptFilters(value, target, scope) : value;
      if (!isEmpty(inner)) kept[name] = inner;
    }
  }
  return kept;
}

/** Whether each step of a path leads to an attribute, and the last one to a scalar. */
function isSortable(path: readonly string[], model: Model, scope: Scope): boolean {
  const [name = '', ...rest] = path;
  if (ALWAYS.has(name)) return rest.length === 0;
  const attribute = visible(model, name, scope);
  if (!attribute) return false;
  if (rest.length === 0) return attribute.kind === 'scalar';
  const target = targetOf(scope.schema, attribute);
  return target !== null && isSortable(rest, target, scope);
}

function keptSort(sort: unknown, model: Model, scope: Scope): unknown {
  if (typeof sort === 'string')
    return sort
      .split(',')
      .map((one) => one.trim())
      .filter((one) => isSortable((one.split(':')[0] ?? '').split('.'), model, scope))
      .join(',');
  if (Array.isArray(sort))
    return sort.map((one) => keptSort(one, model, scope)).filter((one) => one !== '' && !isEmpty(one));
  if (!isPlainObject(sort)) return sort;
  const kept: Values = {};
  for (const [name, value] of Object.entries(sort)) {
    const attribute = ALWAYS.has(name) ? null : visible(model, name, scope);
    const target = attribute && targetOf(scope.schema, attribute);
    if (ALWAYS.has(name) || attribute?.kind === 'scalar') kept[name] = value;
    else if (target) {
      const inner = keptSort(value, target, scope);
      if (isPlainObject(inner) && !isEmpty(inner)) kept[name] = inner;
    }
  }
  return kept;
}

function keptFields(fields: unknown, model: Model, scope: Scope): unknown {
  if (typeof fields === 'string')
    return fields === '*' ? fields : keptFields(fields.split(','), model, scope);
  if (!Array.isArray(fields)) return fields;
  return fields
    .map((name) => String(name).trim())
    .filter((name) => name === '*' || ALWAYS.has(name) || visible(model, name, scope)?.kind === 'scalar');
}

const canPopulate = ({ kind }: Attribute): boolean => kind !== 'scalar';

/** Whether nothing on a path of names is hidden. What the model does not have is refused later. */
function isPopulatable(path: readonly string[], model: Model, scope: Scope): boolean {
  const [name = '', ...rest] = path;
  const named = attributeNamed(model, name, scope.viewer);
  if (!named) return true;
  if (named.hidden !== null) return false;
  const target = targetOf(scope.schema, named.attribute);
  return rest.length === 0 || target === null || isPopulatable(rest, target, scope);
}

function keptPopulate(populate: unknown, model: Model, scope: Scope): unknown {
  if (populate === '*' || populate === true || populate === 'true')
    return Object.fromEntries(
      visibleAttributes(model, scope.viewer)
        .filter(canPopulate)
        .map(({ name }) => [name, true]),
    );
  if (typeof populate === 'string')
    return populate
      .split(',')
      .map((path) => path.trim())
      .filter((path) => isPopulatable(path.split('.'), model, scope))
      .join(',');
  if (Array.isArray(populate) && populate.includes('*')) return keptPopulate('*', model, scope);
  if (Array.isArray(populate))
    return populate.flatMap((path) => keptPopulate(path, model, scope)).filter((path) => path !== '');
  if (!isPlainObject(populate)) return populate;
  const kept: Values = {};
  for (const [name, value] of Object.entries(populate)) {
    const named = attributeNamed(model, name, scope.viewer);
    if (named && named.hidden !== null) continue;
    kept[name] = named ? keptMember(value, named.attribute, scope) : value;
  }
  return kept;
}

/** What is populated of an attribute: its parameters, or those of each of its components or types (`on`). */
function keptMember(value: unknown, attribute: Attribute, scope: Scope): unknown {
  if (!isPlainObject(value)) return value;
  const target = targetOf(scope.schema, attribute);
  const { on } = value;
  const result = target ? branch(value, target, scope) : { ...value };
  if (!isPlainObject(on)) return result;
  const kept: Values = {};
  for (const [uid, inner] of Object.entries(on)) {
    const model = modelOf(scope.schema, uid);
    if (model && attribute.kind === 'relation' && !mayFind(scope.viewer.caller, model)) continue;
    kept[uid] = model && isPlainObject(inner) ? branch(inner, model, scope) : inner;
  }
  return { ...result, on: kept };
}

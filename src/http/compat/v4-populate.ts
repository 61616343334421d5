import { type Viewer, visibleNamed } from '../../query/attributes.js';
import { modelOf, targetOf } from '../../schema/find.js';
import type { Attribute, Model, Schema } from '../../schema/types.js';
import { isObject, objectAt, type PlainObject } from '../../values/plain-object.js';

/** What translating `populate` needs. */
export interface Populating {
  readonly schema: Schema;
  /** The caller. */
  readonly viewer: Viewer;
}

/**
 * `populate` of Strapi 4 in Strapi 5's terms. At every level it may be `*`, texts such as `a,b.c` or options
 * by attribute, and whatever the model does not have, or the caller may not see, is ignored.
 */
export function populateV4(ask: Populating, model: Model, given: unknown): unknown {
  const names = textsIn(given);
  // Among other names, it is one that no attribute has.
  if (names?.every((name) => name === '*')) return '*';
  const asked = names ? treeOf(names) : optionsIn(given);
  const populate: Record<string, unknown> = {};
  for (const [name, options] of Object.entries(asked)) {
    const attribute = visibleNamed(model, name, ask.viewer);
    const own = attribute && attribute.kind !== 'scalar' ? optionsV4(ask, attribute, options) : false;
    if (own !== false) populate[name] = own;
  }
  return populate;
}

/** The members of a text, or of a list of texts; null for anything else. */
function textsIn(given: unknown): readonly string[] | null {
  const isList = isObject(given) && Object.keys(given).some((key) => /^\d+$/.test(key));
  const list = isList ? Object.values(given) : [given].flat();
  if (!list.every((one) => typeof one === 'string')) return null;
  return list.flatMap((text) => text.split(',')).map((text) => text.trim());
}

/** Options by name, which the query parser lists with texts if a query has both: `populate[a]=…&populate=b`. */
function optionsIn(given: unknown): PlainObject {
  const options: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(objectOrList(given)))
    if (!/^\d+$/.test(key)) options[key] = value;
    else Object.assign(options, typeof value === 'string' ? treeOf(textsIn(value) ?? []) : objectAt(value));
  return options;
}

const objectOrList = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});

/** `a,a.b` as options: `{ a: { populate: { b: true } } }`. */
function treeOf(paths: readonly string[]): Readonly<Record<string, unknown>> {
  const branches = new Map<string, string[]>();
  for (const path of paths) {
    const [name = '', ...rest] = path.split('.');
    const below = branches.get(name) ?? [];
    branches.set(name, rest.length > 0 ? [...below, rest.join('.')] : below);
  }
  return Object.fromEntries(
    [...branches].map(([name, below]) => [name, below.length > 0 ? { populate: below } : true]),
  );
}

const FALSE: ReadonlySet<unknown> = new Set([false, 'false', 'f', '0', '', null, undefined]);

/** False: not populated. Any other text than a false one means true. */
function optionsV4(ask: Populating, attribute: Attribute, options: unknown): unknown {
  if (!isObject(options)) return !FALSE.has(options);
  const { on } = options;
  if (attribute.kind === 'zone') {
    // What is asked of a zone is asked of each of its components.
    const asked = attribute.components.map((uid) => [uid, isObject(on) ? on[uid] : options] as const);
    return { on: fragments(ask, asked) };
  }
  const target = targetOf(ask.schema, attribute);
  if (!target && isObject(on)) return { on: fragments(ask, Object.entries(on)) };
  return target ? optionsOf(ask, target, options) : polymorphic(options);
}

/** Of a polymorphic relation, only everything below it can be populated. */
const polymorphic = ({ populate }: PlainObject): unknown =>
  textsIn(populate)?.includes('*') ? { populate: '*' } : true;

const fragments = (ask: Populating, list: readonly (readonly [string, unknown])[]): PlainObject =>
  Object.fromEntries(
    list.flatMap(([uid, options]) => {
      const model = modelOf(ask.schema, uid);
      if (!model || FALSE.has(options)) return [];
      return [[uid, isObject(options) ? optionsOf(ask, model, options) : true]];
    }),
  );

function optionsOf(ask: Populating, model: Model, options: PlainObject): unknown {
  const { fields, filters, sort, populate, locale } = options;
  const isType = model.modelType === 'contentType';
  const whole = {
    ...(fields !== undefined && { fields: fieldsV4(ask, model, fields) }),
    ...(isType && filters !== undefined && { filters: filtersV4(ask, model, filters) }),
    ...(isType && sort !== undefined && { sort: sortV4(ask, model, sort) }),
    ...(populate !== undefined && { populate: populateV4(ask, model, populate) }),
    ...(isType && locale !== undefined && { locale }),
  };
  const given = Object.entries(whole).filter(([, value]) => !isEmpty(value));
  return given.length === 0 ? true : Object.fromEntries(given);
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

/** The scalars among the names; if there are none, only the id. */
function fieldsV4(ask: Populating, model: Model, fields: unknown): unknown {
  const names = textsIn(fields);
  if (!names || names.includes('*')) return undefined;
  const known = names.filter(
    (name) => name === 'id' || visibleNamed(model, name, ask.viewer)?.kind === 'scalar',
  );
  return known.length === 0 ? ['id'] : known;
}

function sortV4(ask: Populating, model: Model, sort: unknown): unknown {
  const names = textsIn(sort);
  if (!names) return isObject(sort) ? filtersV4(ask, model, sort) : undefined;
  return names.filter((one) => leadsSomewhere(ask, model, (one.split(':')[0] ?? '').split('.')));
}

function leadsSomewhere(ask: Populating, model: Model, [name = '', ...rest]: readonly string[]): boolean {
  const attribute = visibleNamed(model, name, ask.viewer);
  if (rest.length === 0) return name === 'id' || attribute?.kind === 'scalar';
  const target = attribute && targetOf(ask.schema, attribute);
  return target ? leadsSomewhere(ask, target, rest) : false;
}

/** Without the names that lead nowhere, and what is empty then. */
function filtersV4(ask: Populating, model: Model, filters: unknown): unknown {
  if (Array.isArray(filters))
    return filters.map((one) => filtersV4(ask, model, one)).filter((one) => !isEmpty(one));
  if (!isObject(filters)) return filters;
  const kept = Object.entries(filters).map(([name, value]): readonly [string, unknown] => {
    if (name === 'id') return [name, value];
    if (name.startsWith('$') || /^\d+$/.test(name)) return [name, filtersV4(ask, model, value)];
    const attribute = visibleNamed(model, name, ask.viewer);
    const target = attribute ? targetOf(ask.schema, attribute) : null;
    if (target) return [name, filtersV4(ask, target, value)];
    return [name, attribute?.kind === 'scalar' ? value : undefined];
  });
  return Object.fromEntries(kept.filter(([, value]) => !isEmpty(value)));
}

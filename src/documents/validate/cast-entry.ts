/** The whole input, coerced by the schema, with defaults in new parts (rules E.4, G.3). */
import { SCALARS } from '../../schema/scalars/index.js';
import { readJson } from '../../schema/scalars/json.js';
import type { Attribute, Model, ScalarType, Schema } from '../../schema/types.js';
import { isVisible } from './visible.js';

export type Entry = Record<string, unknown>;

export interface CastOptions {
  readonly action: 'create' | 'update';
  /** What is left out stays as it is: no defaults. */
  readonly partial: boolean;
}

export interface CastEntry {
  readonly value: Entry;
  /** Attributes that their condition hides, as ajv's paths (`/seo/title`): their errors do not count. */
  readonly hidden: readonly string[];
}

export const isEntry = (value: unknown): value is Entry =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Keys beside the attributes that an item carries. */
const itemKeys = ['id', '__component'];

/** The value as the rule of its type judges it. */
const castScalar = (type: ScalarType, value: unknown): unknown => {
  const { fromBody } = SCALARS[type];
  return fromBody ? fromBody(value) : value;
};

/** One item of a repeatable component or zone: an object, or text of one; anything else is no value. */
const castItem = (value: unknown): unknown => {
  const item = readJson(value);
  return typeof item === 'object' && !Array.isArray(item) ? item : null;
};

const defaultOf = (attribute: Attribute): unknown => {
  if (attribute.kind === 'scalar') {
    const value: unknown = typeof attribute.default === 'function' ? attribute.default() : attribute.default;
    return typeof value === 'object' && value !== null ? structuredClone(value) : value;
  }
  const list = attribute.kind === 'zone' || (attribute.kind === 'component' && attribute.many);
  return list && !attribute.required ? [] : undefined;
};

/** Casts `data`; unknown keys and system attributes are left behind, references and media pass untouched. */
export const castEntry = (model: Model, data: Entry, schema: Schema, options: CastOptions): CastEntry => {
  const hidden: string[] = [];

  const castComponent = (uid: unknown, item: unknown, path: string): unknown => {
    const component = typeof uid === 'string' ? schema.components.get(uid) : undefined;
    if (!isEntry(item) || !component) return item;
    const isStored = options.action === 'update' && item['id'] !== undefined && item['id'] !== null;
    const kept = itemKeys.filter((key) => Object.hasOwn(item, key) && (key !== 'id' || isStored));
    return {
      ...Object.fromEntries(kept.map((key) => [key, item[key]])),
      ...castAll(component, item, path, isStored),
    };
  };

  const castAttribute = (attribute: Attribute, value: unknown, path: string): unknown => {
    if (attribute.kind === 'scalar') return castScalar(attribute.type, value);
    if (attribute.kind === 'component' && !attribute.many)
      return castComponent(attribute.component, value, path);
    if ((attribute.kind !== 'component' && attribute.kind !== 'zone') || !Array.isArray(value)) return value;
    return value.map((given, index) => {
      const item = castItem(given);
      const uid =
        attribute.kind === 'component' ? attribute.component : isEntry(item) ? item['__component'] : null;
      return castComponent(uid, item, `${path}/${index}`);
    });
  };

  const castAll = (within: Model, entry: Entry, path: string, partial: boolean): Entry => {
    const result: Entry = {};
    for (const attribute of within.attributes.values()) {
      if (attribute.system) continue;
      const given = Object.hasOwn(entry, attribute.name) ? entry[attribute.name] : undefined;
      const value = given === undefined && !partial ? defaultOf(attribute) : given;
      const at = `${path}/${attribute.name}`;
      if (value !== undefined) result[attribute.name] = castAttribute(attribute, value, at);
    }
    for (const attribute of within.attributes.values())
      if (!isVisible(attribute.visibleWhen, result)) hidden.push(`${path}/${attribute.name}`);
    return result;
  };

  return { value: castAll(model, data, '', options.partial), hidden };
};

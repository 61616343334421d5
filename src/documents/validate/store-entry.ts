/** A cast and valid entry in the form in which it is stored (docs/architecture.md, "How content is stored"). */
import { SCALARS } from '../../schema/scalars/index.js';
import type { Attribute, Model, ScalarType, Schema } from '../../schema/types.js';
import { type Entry, isEntry } from './cast-entry.js';

const storeScalar = (type: ScalarType, value: unknown): unknown => {
  const { store } = SCALARS[type];
  return store ? store(value) : value;
};

/** What an attribute that was never given is stored as; undefined: the references are somebody else's. */
const absent = (attribute: Attribute): unknown => {
  if (attribute.kind === 'relation' || attribute.kind === 'media') return undefined;
  return attribute.kind === 'zone' || (attribute.kind === 'component' && attribute.many) ? [] : null;
};

/**
 * `biginteger` as Long, `decimal` as Decimal128, `datetime` and `timestamp` as Date, `date` and `time` as text. Where the
 * entry is complete, absent values become null or an empty list. Throws a 400 for a date or time in another form.
 */
export const storeEntry = (model: Model, data: Entry, schema: Schema, partial: boolean): Entry => {
  const storeItem = (uid: unknown, item: unknown): unknown => {
    const component = typeof uid === 'string' ? schema.components.get(uid) : undefined;
    if (!component || !isEntry(item)) return item;
    const isStored = item['id'] !== undefined;
    return {
      ...(item['__component'] === undefined ? {} : { __component: item['__component'] }),
      ...(isStored ? { id: item['id'] } : {}),
      ...storeEntry(component, item, schema, isStored),
    };
  };

  const store = (attribute: Attribute, value: unknown): unknown => {
    if (value === null) return null;
    if (attribute.kind === 'scalar') return storeScalar(attribute.type, value);
    if (attribute.kind !== 'component' && attribute.kind !== 'zone') return value;
    const uidOf = (item: unknown): unknown =>
      attribute.kind === 'component' ? attribute.component : isEntry(item) ? item['__component'] : null;
    return Array.isArray(value)
      ? value.map((item) => storeItem(uidOf(item), item))
      : storeItem(uidOf(value), value);
  };

  const result: Entry = {};
  for (const attribute of model.attributes.values()) {
    if (attribute.system) continue;
    const given = data[attribute.name];
    const value = given === undefined ? (partial ? undefined : absent(attribute)) : store(attribute, given);
    if (value !== undefined) result[attribute.name] = value;
  }
  return result;
};

/** The data of a clone, merged into the original as Strapi merges them (lodash's `merge`). */
import type { Attribute, ContentType, Schema } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import { isPlainObject, mapObjects, objectAt, type PlainObject } from '../../values/plain-object.js';
import { ORIGINAL } from '../entry/original.js';
import { componentOf, holdsItems, type ItemsAttribute } from '../plan/items.js';
import { type LinkAttribute, targetUid } from '../plan/relation-input.js';
import { readLinks } from '../relations/stored-links.js';

interface Original {
  readonly schema: Schema;
  readonly type: ContentType;
  readonly draft: Entry;
  /** What other entries own, as data. */
  readonly inverse: Entry;
  /** Whether what a link of the original refers to exists. */
  exists(uid: string, documentId: string): boolean;
}

/** What each given attribute becomes; those that stay as they are are left out. */
export function mergedData({ schema, type, draft, inverse, exists }: Original, given: PlainObject): Entry {
  const newValue = (attribute: Attribute, holder: Entry, value: unknown): unknown => {
    if (attribute.kind === 'scalar') return merged(holder[attribute.name], value);
    return holdsItems(attribute) ? itemsOf(attribute, holder, value) : linksOf(attribute, holder, value);
  };

  const itemsOf = (attribute: ItemsAttribute, holder: Entry, value: unknown): unknown => {
    const stored = holder[attribute.name];
    if (!Array.isArray(value) || !Array.isArray(stored)) return itemOf(attribute, stored, value);
    return byPosition(
      stored,
      value,
      (one, by) => itemOf(attribute, one, by),
      (one) => whole(attribute, one),
    );
  };

  const itemOf = (attribute: ItemsAttribute, original: unknown, by: unknown): unknown => {
    if (!isPlainObject(original) || !isPlainObject(by)) return by;
    const { __component: is = original['__component'] } = by;
    const model = componentOf(schema, attribute, { ...by, __component: is });
    if (!model) return by;
    const base = objectAt(whole(attribute, original));
    const item: Entry = Object.fromEntries(
      Object.entries(base).filter(([name]) => model.attributes.has(name)),
    );
    for (const [name, value] of Object.entries(by)) {
      const inner = model.attributes.get(name);
      if (value !== undefined) item[name] = inner ? newValue(inner, original, value) : value;
    }
    if (is !== undefined) item['__component'] = is;
    // The links of one of another component are not kept.
    return is === original['__component'] ? Object.assign(item, { [ORIGINAL]: original }) : item;
  };

  /** An item of the original as data; its links and passwords are copied as they are stored. */
  const whole = (attribute: ItemsAttribute, item: unknown): unknown => {
    const model = componentOf(schema, attribute, item);
    if (!model || !isPlainObject(item)) return item;
    const data: Entry = {};
    for (const inner of model.attributes.values()) {
      const value = item[inner.name];
      if (inner.system || value === undefined) continue;
      if (holdsItems(inner)) data[inner.name] = mapObjects(value, (one) => whole(inner, one));
      else if (inner.kind === 'scalar' && inner.type !== 'password') data[inner.name] = value;
    }
    if (item['__component'] !== undefined) data['__component'] = item['__component'];
    return Object.assign(data, { [ORIGINAL]: item });
  };

  const linksOf = (attribute: LinkAttribute, holder: Entry, value: unknown): unknown => {
    if (isPlainObject(value)) return changesNothing(value) ? undefined : value;
    if (!Array.isArray(value) || !attribute.many) return value;
    const owned = readLinks(holder, attribute).flatMap(({ documentId, locale, type: uid }) => {
      if (!exists(targetUid(attribute, uid), documentId)) return [];
      return { documentId, ...(locale !== null && { locale }), ...(uid !== null && { __type: uid }) };
    });
    const set = objectAt(inverse, attribute.name)['set'];
    const originals = Array.isArray(set) ? set : owned;
    return value.length === 0 ? undefined : [...value, ...originals.slice(value.length)];
  };

  const data: Entry = {};
  for (const [name, value] of Object.entries(given)) {
    const attribute = type.attributes.get(name);
    const becomes = attribute && value !== undefined ? newValue(attribute, draft, value) : value;
    if (becomes !== undefined) data[name] = becomes;
  }
  return data;
}

/** Objects by member, lists by position. */
function merged(original: unknown, given: unknown): unknown {
  if (given === undefined) return original;
  if (Array.isArray(original) && Array.isArray(given))
    return byPosition(original, given, merged, (one) => one);
  if (!isPlainObject(original) || !isPlainObject(given)) return given;
  const all: Entry = { ...original };
  for (const [name, value] of Object.entries(given)) all[name] = merged(original[name], value);
  return all;
}

function byPosition(
  originals: readonly unknown[],
  given: readonly unknown[],
  both: (original: unknown, given: unknown) => unknown,
  kept: (original: unknown) => unknown,
): readonly unknown[] {
  const isGiven = (at: number): boolean => given[at] !== undefined;
  return Array.from({ length: Math.max(originals.length, given.length) }, (_, at) =>
    isGiven(at) ? both(originals[at], given[at]) : kept(originals[at]),
  );
}

/** `{ connect: [] }` and the like, next to which the links of the original stay. */
const changesNothing = (value: PlainObject): boolean => {
  const isNothing = (change: unknown): boolean =>
    change === null || change === undefined || (Array.isArray(change) && change.length === 0);
  const names = Object.keys(value);
  return (
    names.length > 0 &&
    names.every((name) => ['connect', 'disconnect', 'options'].includes(name)) &&
    isNothing(value['connect']) &&
    isNothing(value['disconnect'])
  );
};

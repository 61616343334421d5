import { EJSON } from 'bson';
import { componentOf, componentUid, holdsItems, valuesOfItems } from '../../documents/plan/items.js';
import type { Attribute, Model, ScalarType, Schema } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import { isBson } from '../../values/bson.js';
import { isObject, mapLeaves } from '../../values/plain-object.js';
import type { Version } from './exported.js';

/** Fields of a stored entry that have their own representation in a line. */
const SAID = new Set([
  '_id',
  '_rev',
  '_links',
  'id',
  'documentId',
  'locale',
  'createdAt',
  'updatedAt',
  'publishedAt',
  'grants',
]);

const isoOf = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : (value ?? null));

/** A number if it is exact, otherwise its digits. */
const numeric = (value: unknown): unknown => {
  if (!isBson(value)) return value;
  const text = String(value);
  return String(Number(text)) === text ? Number(text) : text;
};

const plain = (value: unknown): unknown =>
  mapLeaves(value, (leaf) => (leaf instanceof Date ? leaf.toISOString() : numeric(leaf)));

const SHOW: Partial<Readonly<Record<ScalarType, (value: unknown) => unknown>>> = {
  biginteger: String,
  integer: numeric,
  float: numeric,
  decimal: numeric,
  datetime: isoOf,
  timestamp: (value) => (value instanceof Date ? String(value.getTime()) : value),
};

/**
 * A stored entry as a line of `entities`. What Strapi's format has no place for is under `mangrove`, and
 * under `mangroveItems` for component items, as Extended JSON.
 */
export function entityLine(schema: Schema, { type, status, entry }: Version) {
  const extra = Object.entries(entry).filter(
    ([name]) =>
      !SAID.has(name) && (!type.attributes.has(name) || name === 'createdBy' || name === 'updatedBy'),
  );
  const inItems = [...extraItemFields(schema, type, entry)];
  // Entries of other programs may lack dates, but a published entry must have `publishedAt`.
  const live = entry['publishedAt'] ?? entry['updatedAt'] ?? entry['createdAt'] ?? new Date();
  const publishedAt = status === 'draft' && type.draftAndPublish ? null : live;
  return {
    type: type.uid,
    id: Number(entry['id']),
    data: {
      documentId: entry['documentId'],
      ...dataOf(schema, type, entry),
      createdAt: isoOf(entry['createdAt']),
      updatedAt: isoOf(entry['updatedAt']),
      publishedAt: isoOf(publishedAt),
      locale: entry['locale'] ?? null,
    },
    ...(extra.length > 0 && { mangrove: EJSON.serialize(Object.fromEntries(extra), { relaxed: false }) }),
    ...(inItems.length > 0 && {
      mangroveItems: EJSON.serialize(Object.fromEntries(inItems), { relaxed: false }),
    }),
  };
}

/** What component items have beside their attributes, by the path of each: `chapters/0/notes/1`. */
function* extraItemFields(schema: Schema, model: Model, entry: Entry, path = ''): Generator<[string, Entry]> {
  for (const attribute of model.attributes.values()) {
    if (!holdsItems(attribute)) continue;
    for (const [number, { item }] of valuesOfItems(attribute, entry).entries()) {
      const component = componentOf(schema, attribute, item);
      if (!component) continue;
      const at = `${path}${attribute.name}/${number}`;
      const extra = Object.entries(item).filter(
        ([name]) => !SAID.has(name) && name !== '__component' && !component.attributes.has(name),
      );
      if (extra.length > 0) yield [at, Object.fromEntries(extra)];
      yield* extraItemFields(schema, component, item, `${at}/`);
    }
  }
}

function dataOf(schema: Schema, model: Model, entry: Entry): Entry {
  const data: Entry = {};
  for (const attribute of model.attributes.values()) {
    if (attribute.system || attribute.kind === 'relation' || attribute.kind === 'media') continue;
    data[attribute.name] = shown(schema, attribute, entry[attribute.name]);
  }
  return data;
}

function shown(
  schema: Schema,
  attribute: Exclude<Attribute, { kind: 'relation' | 'media' }>,
  value: unknown,
): unknown {
  if (value === null || value === undefined)
    return attribute.kind === 'zone' || (attribute.kind === 'component' && attribute.many) ? [] : null;
  if (attribute.kind === 'scalar') return (SHOW[attribute.type] ?? plain)(value);
  const item = (one: unknown): unknown => {
    if (!isObject(one)) return plain(one);
    const uid = componentUid(attribute, one);
    const model = schema.components.get(uid);
    return {
      id: Number(one['id']),
      ...(model ? dataOf(schema, model, one) : {}),
      ...(attribute.kind === 'zone' && { __component: uid }),
    };
  };
  return Array.isArray(value) ? value.map(item) : item(value);
}

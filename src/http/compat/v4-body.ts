import { schemaAttribute } from '../../query/attributes.js';
import { modelOf, targetOf } from '../../schema/find.js';
import type { Attribute, ContentType, Model, Schema } from '../../schema/types.js';
import { FILE_UID } from '../../schema/uids.js';
import { isObject, mapObjects, objectsIn, type PlainObject } from '../../values/plain-object.js';
import type { Twin } from './rows.js';

/** Members that Strapi 4's files do not have. */
const NEWER = new Set(['focalPoint', 'isUrlSigned']);

/** Whether a type has this member in Strapi 4: publication dates and locales only in types that use them. */
function isMember(model: Model, name: string): boolean {
  if (name === 'documentId') return false;
  if (model.modelType !== 'contentType') return true;
  if (name === 'publishedAt') return model.draftAndPublish;
  if (name === 'locale' || name === 'localizations') return model.localized;
  return model.uid !== FILE_UID || !NEWER.has(name);
}

/** What rendering a body for v4 needs. */
interface RenderContext {
  readonly schema: Schema;
  /** The query sorts localizations itself. */
  readonly sortsLocalizations?: boolean;
  /** The published version of the draft with this id; undefined if there is none. */
  twin(uid: string, id: unknown): Twin | undefined;
}

/**
 * A body of the v4 response format as Strapi 4 renders it: without documentIds, and drafts with the id and
 * date of their published version.
 */
export function showV4(show: RenderContext, type: ContentType, data: unknown): unknown {
  return mapObjects(data, (entry) => entryV4(show, type, entry));
}

function entryV4(show: RenderContext, model: Model, entry: PlainObject): PlainObject {
  const { id, attributes } = entry;
  if (!isObject(attributes)) return entry;
  const twin = show.twin(model.uid, id);
  const values = withLocalizations(show, twin?.id ?? id, valuesV4(show, model, attributes, twin));
  if (!twin) return { id, attributes: values };
  return {
    id: twin.id,
    attributes: 'publishedAt' in values ? { ...values, publishedAt: twin.publishedAt } : values,
  };
}

/** Sorts localizations as v4 does. */
function withLocalizations(
  { sortsLocalizations }: RenderContext,
  own: unknown,
  values: PlainObject,
): PlainObject {
  const { localizations } = values;
  const data = isObject(localizations) ? localizations['data'] : null;
  if (sortsLocalizations || !Array.isArray(data) || typeof own !== 'number') return values;
  return { ...values, localizations: { data: asLinked(own, data) } };
}

interface Numbered {
  readonly id: number;
}

/**
 * v4 links a new localization with all others: it lists the first one, then the others from newest to oldest;
 * each of the others lists the new one before the rest.
 */
function asLinked(own: number, others: readonly Numbered[]): readonly Numbered[] {
  const [first, ...more] = [own, ...others.map(({ id }) => id)].sort((a, b) => a - b);
  const [newest, ...rest] = more.reverse();
  const order = [newest, first, ...rest];
  return [...others].sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
}

/** `twin` is the published version, if the values are those of its draft. */
function valuesV4(show: RenderContext, model: Model, values: PlainObject, twin?: Twin): PlainObject {
  const isItem = model.modelType === 'component';
  return Object.fromEntries(
    Object.entries(values)
      .filter(([name, value]) => isMember(model, name) && !isEmptyMorph(schemaAttribute(model, name), value))
      .map(([name, value]) => {
        if (isItem && name === 'id' && twin) return [name, twin.item(model.uid, value)];
        const attribute = schemaAttribute(model, name);
        return [name, attribute ? valueV4(show, attribute, value, twin) : value];
      }),
  );
}

/** An empty polymorphic relation is left out. */
function isEmptyMorph(attribute: Attribute | undefined, value: unknown): boolean {
  if (attribute?.kind !== 'relation' || attribute.target !== null) return false;
  const items = isObject(value) && 'data' in value ? value['data'] : value;
  return Array.isArray(items) && items.length === 0;
}

function valueV4(show: RenderContext, attribute: Attribute, value: unknown, twin: Twin | undefined): unknown {
  if (value === null || value === undefined) return value;
  if (attribute.kind === 'component') {
    const model = modelOf(show.schema, attribute.component);
    return model ? mapObjects(value, (item) => valuesV4(show, model, item, twin)) : value;
  }
  if (attribute.kind === 'zone') return mapObjects(value, (item) => zoneItem(show, item, twin));
  if (attribute.kind !== 'relation' && attribute.kind !== 'media') return value;
  if (!isObject(value) || !('data' in value)) return value;
  const target = targetOf(show.schema, attribute);
  const polymorphic = attribute.kind === 'relation' && attribute.target === null;
  const { data } = value;
  if (Array.isArray(data) && data.length === 0 && isNullWhenEmpty(attribute)) return { data: null };
  const shown = mapObjects(data, (entry) => {
    if (polymorphic) return morph(show, entry);
    if (!isObject(entry['attributes'])) return entry;
    return target ? entryV4(show, target, entry) : { id: entry['id'], attributes: entry['attributes'] };
  });
  return polymorphic ? shown : { ...value, data: shown };
}

/** In v4, an empty list of files, or of the inverse side of a polymorphic relation, is null. */
const isNullWhenEmpty = (attribute: Attribute): boolean =>
  attribute.kind === 'media' || (attribute.kind === 'relation' && attribute.relation === 'morphMany');

function zoneItem(show: RenderContext, item: PlainObject, twin: Twin | undefined): unknown {
  const model = modelOf(show.schema, String(item['__component']));
  return model ? valuesV4(show, model, item, twin) : item;
}

/** Polymorphic items are flat in v4. */
function morph(show: RenderContext, { id, __type, attributes, ...rest }: PlainObject): PlainObject {
  const { __type: inner, ...values } = isObject(attributes) ? attributes : rest;
  const type = __type ?? inner;
  const model = modelOf(show.schema, String(type));
  const twin = show.twin(String(type), id);
  const dated = twin && 'publishedAt' in values ? { ...values, publishedAt: twin.publishedAt } : values;
  return { __type: type, id: twin?.id ?? id, ...(model ? flatV4(show.schema, model, dated) : dated) };
}

/** An entry of a route that answers without `attributes`, such as /users. */
export function flatV4(schema: Schema, model: Model, values: PlainObject): PlainObject {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([name]) => isMember(model, name))
      .map(([name, value]) => {
        const attribute = schemaAttribute(model, name);
        if (attribute?.kind !== 'media' && attribute?.kind !== 'relation') return [name, value];
        const target = targetOf(schema, attribute);
        if (target) return [name, mapObjects(value, (entry) => flatV4(schema, target, entry))];
        return [name, Array.isArray(value) ? related(schema, objectsIn(value)) : value];
      }),
  );
}

/** What refers to a file: an entry with both versions is one row in v4, the published one. */
function related(schema: Schema, items: readonly PlainObject[]): readonly PlainObject[] {
  const rows = new Map<string, PlainObject>();
  for (const item of items) {
    const key = [item['__type'], item['documentId'] ?? item['id'], item['locale'] ?? ''].join(' ');
    if (!rows.has(key) || item['publishedAt'] !== null) rows.set(key, item);
  }
  return [...rows.values()].map((item) => {
    const model = modelOf(schema, String(item['__type']));
    return model ? flatV4(schema, model, item) : item;
  });
}

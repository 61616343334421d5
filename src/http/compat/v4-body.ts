import { modelOf } from '../../schema/find.js';
import type { Attribute, ContentType, Model, Schema } from '../../schema/types.js';
import type { Twin } from './rows.js';

type Raw = Record<string, unknown>;

const isRecord = (value: unknown): value is Raw =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const FILE = 'plugin::upload.file';

/** What Strapi 4's files do not have. */
const NEWER = new Set(['focalPoint', 'isUrlSigned']);

/** Whether a type of Strapi 4 has this member: dates of publishing and locales are for types that use them. */
function isMember(model: Model, name: string): boolean {
  if (name === 'documentId') return false;
  if (model.modelType !== 'contentType') return true;
  if (name === 'publishedAt') return model.draftAndPublish;
  if (name === 'locale' || name === 'localizations') return model.localized;
  return model.uid !== FILE || !NEWER.has(name);
}

/** A body of the v4 format as Strapi 4 has it: without documentIds, a draft under the id of its published version. */
export function showV4(
  schema: Schema,
  type: ContentType,
  data: unknown,
  twins: ReadonlyMap<string, Twin>,
): unknown {
  const one = (entry: unknown): unknown => {
    if (!isRecord(entry) || !isRecord(entry['attributes'])) return entry;
    const { locale } = entry['attributes'];
    const twin =
      twins.get(`${entry['documentId']} ${typeof locale === 'string' ? locale : ''}`) ??
      (type.localized && locale === undefined ? onlyTwin(twins, String(entry['documentId'])) : undefined);
    const shown = entryV4(schema, type, entry);
    if (!twin) return shown;
    const attributes = shown['attributes'] as Raw;
    return {
      ...shown,
      id: twin.id,
      attributes: 'publishedAt' in attributes ? { ...attributes, publishedAt: twin.publishedAt } : attributes,
    };
  };
  return Array.isArray(data) ? data.map(one) : one(data);
}

/** Where the entry does not show its locale and its document has one published version. */
function onlyTwin(twins: ReadonlyMap<string, Twin>, documentId: string): Twin | undefined {
  const own = [...twins].filter(([key]) => key.startsWith(`${documentId} `));
  return own.length === 1 ? own[0]?.[1] : undefined;
}

function entryV4(schema: Schema, model: Model, { id, attributes }: Raw): Raw {
  return { id, attributes: valuesV4(schema, model, attributes as Raw) };
}

function valuesV4(schema: Schema, model: Model, values: Raw): Raw {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([name]) => isMember(model, name))
      .map(([name, value]) => {
        const attribute = model.attributes.get(name);
        return [name, attribute ? valueV4(schema, attribute, value) : value];
      }),
  );
}

function valueV4(schema: Schema, attribute: Attribute, value: unknown): unknown {
  if (value === null || value === undefined) return value;
  if (attribute.kind === 'component') {
    const model = modelOf(schema, attribute.component);
    const one = (item: unknown): unknown => (model && isRecord(item) ? valuesV4(schema, model, item) : item);
    return Array.isArray(value) ? value.map(one) : one(value);
  }
  if (attribute.kind === 'zone')
    return Array.isArray(value) ? value.map((item) => zoneItem(schema, item)) : value;
  if (attribute.kind !== 'relation' && attribute.kind !== 'media') return value;
  if (!isRecord(value) || !('data' in value)) return value;
  const target = modelOf(schema, attribute.kind === 'media' ? FILE : (attribute.target ?? ''));
  const polymorphic = attribute.kind === 'relation' && attribute.target === null;
  const { data } = value;
  // An empty list of files is null in v4.
  if (attribute.kind === 'media' && Array.isArray(data) && data.length === 0) return { data: null };
  const one = (entry: unknown): unknown => {
    if (!isRecord(entry)) return entry;
    if (polymorphic) return morph(schema, entry);
    if (!isRecord(entry['attributes'])) return entry;
    return target ? entryV4(schema, target, entry) : { id: entry['id'], attributes: entry['attributes'] };
  };
  const shown = Array.isArray(data) ? data.map(one) : one(data);
  return polymorphic ? shown : { ...value, data: shown };
}

function zoneItem(schema: Schema, item: unknown): unknown {
  if (!isRecord(item)) return item;
  const model = modelOf(schema, String(item['__component']));
  return model ? valuesV4(schema, model, item) : item;
}

/** Polymorphic items are flat in v4. */
function morph(schema: Schema, { id, __type, attributes, ...rest }: Raw): Raw {
  const { __type: inner, ...values } = isRecord(attributes) ? attributes : rest;
  const type = __type ?? inner;
  const model = modelOf(schema, String(type));
  return { __type: type, id, ...(model ? flatV4(schema, model, values) : values) };
}

/** An entry of a route that answers without `attributes`, such as /users. */
export function flatV4(schema: Schema, model: Model, values: Raw): Raw {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([name]) => isMember(model, name))
      .map(([name, value]) => {
        const attribute = model.attributes.get(name);
        const uid =
          attribute?.kind === 'media' ? FILE : attribute?.kind === 'relation' ? (attribute.target ?? '') : '';
        const target = modelOf(schema, uid);
        const one = (entry: unknown): unknown =>
          target && isRecord(entry) ? flatV4(schema, target, entry) : entry;
        return [name, Array.isArray(value) ? value.map(one) : one(value)];
      }),
  );
}

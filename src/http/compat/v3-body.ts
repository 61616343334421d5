import { modelOf } from '../../schema/find.js';
import type { Attribute, ContentType, Model, Schema } from '../../schema/types.js';
import type { Twin } from './rows.js';

type Raw = Record<string, unknown>;

const isRecord = (value: unknown): value is Raw =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A body as Strapi 3 has it: entries without an envelope, under their old ids. */
export function showV3(
  schema: Schema,
  type: ContentType,
  data: unknown,
  twins: ReadonlyMap<number, Twin>,
): unknown {
  const one = (entry: unknown): unknown => {
    if (!isRecord(entry)) return entry;
    const twin = twins.get(Number(entry['id']));
    return entryV3(schema, type, twin ? { ...entry, publishedAt: twin.publishedAt } : entry, 0);
  };
  return Array.isArray(data) ? data.map(one) : one(data);
}

/** Members that Strapi 3 does not have, or has under another name. */
const OTHERWISE = new Set([
  'id',
  'documentId',
  'publishedAt',
  'locale',
  'localizations',
  'createdBy',
  'updatedBy',
]);
const NEWER = new Set(['focalPoint', 'folder', 'folderPath']);

function entryV3(schema: Schema, model: Model, entry: Raw, level: number): Raw {
  const type = model.modelType === 'contentType' ? model : null;
  const own = type?.origin === 'api';
  const values: Raw = {};
  for (const [name, value] of Object.entries(entry)) {
    if (OTHERWISE.has(name) || (!own && NEWER.has(name))) continue;
    const attribute = model.attributes.get(name);
    values[name] = attribute ? valueV3(schema, attribute, value, level) : value;
  }
  return {
    ...values,
    _id: entry['documentId'],
    id: entry['documentId'],
    ...(type?.draftAndPublish && { published_at: entry['publishedAt'] }),
    ...(type?.localized && { locale: entry['locale'], localizations: localizations(entry['localizations']) }),
  };
}

const localizations = (given: unknown): readonly Raw[] =>
  (Array.isArray(given) ? given : []).map((one: Raw) => ({
    _id: one['documentId'],
    id: one['documentId'],
    locale: one['locale'],
    published_at: one['publishedAt'] ?? null,
  }));

function valueV3(schema: Schema, attribute: Attribute, value: unknown, level: number): unknown {
  if (value === null || value === undefined) return value;
  const each = (show: (item: Raw) => unknown): unknown =>
    Array.isArray(value)
      ? value.map((item) => (isRecord(item) ? show(item) : item))
      : isRecord(value)
        ? show(value)
        : value;
  switch (attribute.kind) {
    case 'component': {
      const model = modelOf(schema, attribute.component);
      return model ? each((item) => componentV3(schema, model, item)) : value;
    }
    case 'zone':
      return each((item) => {
        const model = modelOf(schema, String(item['__component']));
        return model ? componentV3(schema, model, item) : item;
      });
    case 'media':
    case 'relation': {
      if (level > 0 && attribute.kind === 'relation') return each((item) => item['documentId']);
      const uid = attribute.kind === 'media' ? 'plugin::upload.file' : attribute.target;
      return each((item) => {
        const { __type: type, ...rest } = item;
        const target = modelOf(schema, uid ?? String(type));
        return target
          ? {
              ...(uid === null && { __contentType: target.displayName }),
              ...entryV3(schema, target, rest, level + 1),
            }
          : item;
      });
    }
    default:
      return value;
  }
}

/** Components keep no id of their own over an import; where one is shown, it is `id` and `_id`. */
function componentV3(schema: Schema, model: Model, item: Raw): Raw {
  const values: Raw = {};
  for (const [name, value] of Object.entries(item)) {
    const attribute = name === 'id' ? undefined : model.attributes.get(name);
    values[name] = attribute ? valueV3(schema, attribute, value, 0) : value;
  }
  return 'id' in item ? { ...values, _id: item['id'] } : values;
}

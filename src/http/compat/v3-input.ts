import { schemaAttribute } from '../../query/attributes.js';
import { modelOf } from '../../schema/find.js';
import type { Attribute, ContentType, Model } from '../../schema/types.js';
import { FILE_UID } from '../../schema/uids.js';
import { asText } from '../../values/as-text.js';
import { isObject } from '../../values/plain-object.js';
import type { Ask3 } from './v3-filters.js';
import { typeNamed } from './v3-names.js';

type Raw = Record<string, unknown>;

/**
 * A body of Strapi 3 as `data` of Strapi 5: relations by documentId, without what Strapi 3 itself adds to an
 * entry, since its clients send back what they received.
 */
export function dataV3(ask: Ask3, type: ContentType, body: Readonly<Raw>): Raw {
  return valuesV3(ask, type, body);
}

/** Members that Strapi 3 sets itself. */
const AUTOMATIC = new Set(['_id', 'id', '__v', 'published_at', 'created_by', 'updated_by', 'localizations']);

function valuesV3(ask: Ask3, model: Model, given: Readonly<Raw>): Raw {
  const times = model.modelType === 'contentType' ? (model.strapi3?.timestamps ?? TIMES) : TIMES;
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      const attribute = schemaAttribute(model, name);
      if (AUTOMATIC.has(name) || (times.includes(name) && (!attribute || attribute.system))) return [];
      // Strapi 3 ignores what has no attribute.
      if (!attribute && name !== '__component') return [];
      return [[name, attribute ? valueV3(ask, attribute, value) : value]];
    }),
  );
}

const TIMES: readonly string[] = ['createdAt', 'updatedAt', 'created_at', 'updated_at'];

function valueV3(ask: Ask3, attribute: Attribute, value: unknown): unknown {
  const each = (of: (item: unknown) => unknown): unknown =>
    Array.isArray(value) ? value.map(of) : of(value);
  switch (attribute.kind) {
    case 'component':
      return each((item) => component(ask, attribute.component, item));
    case 'zone':
      return each((item) => component(ask, isObject(item) ? asText(item['__component']) : '', item));
    case 'media':
      return each((item) => nameOf(ask, FILE_UID, item));
    case 'relation': {
      const { target } = attribute;
      return target === null
        ? each((item) => polymorphic(ask, item))
        : each((item) => nameOf(ask, target, item));
    }
    default:
      // Strapi 3 stores a text in a json as it is.
      return attribute.type === 'json' && typeof value === 'string' ? JSON.stringify(value) : value;
  }
}

function component(ask: Ask3, uid: string, item: unknown): unknown {
  const model = modelOf(ask.schema, uid);
  if (!model || !isObject(item)) return item;
  // The id tells which item of the entry it was.
  const id = item['id'] ?? item['_id'];
  const isId = typeof id === 'number' || typeof id === 'string';
  return { ...valuesV3(ask, model, item), ...(isId && { id }) };
}

/** The documentId for an id, or for an entry that has one. */
function nameOf({ ids }: Ask3, uid: string, item: unknown): unknown {
  const id = isObject(item) ? (item['_id'] ?? item['id']) : item;
  return typeof id === 'string' ? ids.rowOf(uid, id).documentId : item;
}

/** `{ ref, kind, field }`, where `kind` is a `globalId`. */
function polymorphic({ schema, ids }: Ask3, item: unknown): unknown {
  if (!isObject(item)) return item;
  const kind = item['kind'] ?? item['__contentType'];
  const target = typeNamed(schema, kind);
  const id = item['ref'] ?? item['_id'] ?? item['id'];
  return target && typeof id === 'string'
    ? { __type: target.uid, documentId: ids.rowOf(target.uid, id).documentId }
    : item;
}

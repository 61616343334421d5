/** The keys of a body, held against the schema before anything else is (SPEC E.1 step 1). REST only. */
import { errors } from '../../errors.js';
import type { Caller } from '../../query/read-plan.js';
import { modelOf } from '../../schema/find.js';
import type { Attribute, ContentType, Model, Schema } from '../../schema/types.js';
import { isEntry } from './cast-entry.js';
import { checkDepth } from './depth.js';
import { checkRelationAccess, targetKeys } from './relation-keys.js';

const itemKeys: ReadonlySet<string> = new Set(['id']);
const zoneItemKeys: ReadonlySet<string> = new Set(['id', '__component']);

interface Place {
  readonly model: Model;
  /** Attribute names down to here, without positions; null at the root. */
  readonly path: string | null;
  /** Keys that are no attributes and may stand here. */
  readonly also: ReadonlySet<string>;
}

const eachOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

/** Where the members of an attribute's value are looked up; null where they have no keys of their own. */
const placeOf = (attribute: Attribute, item: unknown, path: string, schema: Schema): Place | null => {
  const place = (uid: unknown, also: ReadonlySet<string>): Place | null => {
    const model = typeof uid === 'string' ? modelOf(schema, uid) : undefined;
    return model ? { model, path, also } : null;
  };
  switch (attribute.kind) {
    case 'scalar':
      return null;
    case 'component':
      return place(attribute.component, itemKeys);
    case 'zone':
      return isEntry(item) ? place(item['__component'], zoneItemKeys) : null;
    case 'media':
      return place('plugin::upload.file', targetKeys);
    case 'relation':
      return place(attribute.target ?? (isEntry(item) ? item['__type'] : null), targetKeys);
  }
};

/**
 * Throws a 400 `Invalid key …` with `source: "body"` for a key that the schema does not have at its place, that may not be
 * written, or that names a relation whose target type the caller may not `find`.
 */
export const checkInputKeys = (data: unknown, type: ContentType, schema: Schema, caller: Caller): void => {
  const checkEntry = (entry: unknown, place: Place): void => {
    if (!isEntry(entry)) return;
    for (const [key, value] of Object.entries(entry)) {
      if (place.also.has(key)) continue;
      const attribute = place.model.attributes.get(key);
      if (!attribute) throw errors.invalidKey({ key, path: place.path, source: 'body' });
      const path = place.path === null ? key : `${place.path}.${key}`;
      if (!attribute.writable) throw errors.invalidKey({ key, path, source: 'body' });
      if (attribute.kind === 'relation') checkRelationAccess(attribute, value, path, caller);
      for (const item of eachOf(value)) {
        const within = placeOf(attribute, item, path, schema);
        if (within) checkEntry(item, within);
      }
    }
  };

  checkDepth(data);
  for (const entry of eachOf(data)) {
    for (const key of ['id', 'documentId'])
      if (isEntry(entry) && Object.hasOwn(entry, key))
        throw errors.validation(`Invalid key ${key}`, { key, source: 'body' });
    checkEntry(entry, { model: type, path: null, also: new Set() });
  }
};

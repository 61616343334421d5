/** The values of a stored document that a caller may see, each by its path, such as `menu.0.name`. */
import { componentUid } from '../documents/plan/items.js';
import { mayFind, restViewer, type Viewer, visibleAttributes } from '../query/attributes.js';
import { modelOf } from '../schema/find.js';
import { scalarOf } from '../schema/scalars/index.js';
import type { Attribute, Model, Schema } from '../schema/types.js';
import { isBson } from '../values/bson.js';
import { valueAt } from '../values/path.js';
import { isObject, mapLeaves } from '../values/plain-object.js';
import type { McpParts, ToolUser } from './types.js';

/** JSON values by path. A relation is given as documentIds. */
export type PlainValues = ReadonlyMap<string, unknown>;

interface Walk {
  readonly schema: Schema;
  readonly viewer: Viewer;
  readonly values: Map<string, unknown>;
}

export function plainValues(
  document: object,
  model: Model,
  { schema }: Pick<McpParts, 'schema'>,
  { caller }: Pick<ToolUser, 'caller'>,
): PlainValues {
  const values = new Map<string, unknown>();
  walk(document, model, '', { schema, viewer: restViewer(caller), values });
  return values;
}

function walk(document: object, model: Model, at: string, within: Walk): void {
  for (const attribute of visibleAttributes(model, within.viewer)) {
    // The id of an item changes with each write.
    if (attribute.system && attribute.name === 'id') continue;
    const value = valueAt(document, attribute.stored);
    // In answers, a missing list and an empty one are the same.
    const isNothing = Array.isArray(value) && value.length === 0 && attribute.kind !== 'scalar';
    if (value !== undefined && value !== null && !isNothing)
      place(value, attribute, at + attribute.name, within);
  }
}

function place(value: unknown, attribute: Attribute, path: string, within: Walk): void {
  const { schema, values } = within;
  switch (attribute.kind) {
    case 'scalar':
      values.set(path, json(scalarValue(value, attribute)));
      return;
    case 'relation':
      if (attribute.owner) values.set(path, json(references(value, within)));
      return;
    case 'media':
      values.set(path, json(value));
      return;
    default:
      for (const [index, item] of (Array.isArray(value) ? value : [value]).entries()) {
        if (!isObject(item)) continue;
        const uid = componentUid(attribute, item);
        const model = modelOf(schema, uid);
        const place = attribute.kind === 'zone' || attribute.many ? `${path}.${index}` : path;
        if (attribute.kind === 'zone') values.set(`${place}.__component`, uid);
        if (model) walk(item, model, `${place}.`, within);
      }
  }
}

const scalarValue = (value: unknown, { type, adopted }: Attribute & { readonly kind: 'scalar' }): unknown =>
  adopted ? value : (scalarOf(type).show?.({ textDates: true })?.(value) ?? value);

/** Without references to types that the caller may not find. */
const references = (value: unknown, { viewer }: Walk): unknown => {
  if (Array.isArray(value)) return value.filter((one) => isSeen(one, viewer));
  return isSeen(value, viewer) ? value : null;
};

const isSeen = (reference: unknown, { caller }: Viewer): boolean =>
  !isObject(reference) || !('__type' in reference) || mayFind(caller, { uid: String(reference['__type']) });

/** A BSON value as JSON. */
const json = (value: unknown): unknown => JSON.parse(JSON.stringify(numbersAsText(value)) ?? 'null');

/** Converts numbers that exceed JSON's range to text. */
const numbersAsText = (value: unknown): unknown =>
  mapLeaves(value, (leaf) => (isBson(leaf, 'Long') || isBson(leaf, 'Decimal128') ? String(leaf) : leaf));

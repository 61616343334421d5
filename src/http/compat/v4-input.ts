import { componentOf, holdsItems } from '../../documents/plan/items.js';
import { schemaAttribute } from '../../query/attributes.js';
import type { Model, Schema } from '../../schema/types.js';
import type { PlainObject } from '../../values/plain-object.js';
import { isObject, mapObjects } from '../../values/plain-object.js';
import { hasVersions, numberIn, type RowsOf } from './v4-rows.js';

interface Names {
  readonly schema: Schema;
  readonly rowOf: RowsOf;
}

/**
 * `data` of a write with documentIds in place of numeric ids, which may belong to another version or locale.
 */
export function dataV4(names: Names, model: Model, data: PlainObject): PlainObject {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => {
      const attribute = schemaAttribute(model, name);
      if (attribute?.kind === 'relation' && attribute.target !== null)
        return [name, relation(names, attribute.target, value)];
      if (!attribute || !holdsItems(attribute)) return [name, value];
      const items = mapObjects(value, (item) => {
        const inner = componentOf(names.schema, attribute, item);
        return inner ? dataV4(names, inner, item) : item;
      });
      return [name, items];
    }),
  );
}

const LISTS = new Set(['connect', 'disconnect', 'set']);

function relation(names: Names, uid: string, value: unknown): unknown {
  if (!hasVersions(names.schema.contentTypes.get(uid))) return value;
  if (Array.isArray(value)) return value.map((one) => relation(names, uid, one));
  if (!isObject(value)) return named(names, uid, value) ?? value;
  if (Object.keys(value).some((key) => LISTS.has(key)))
    return Object.fromEntries(
      Object.entries(value).map(([key, list]) => [key, LISTS.has(key) ? relation(names, uid, list) : list]),
    );
  const { id, position, ...rest } = value;
  const row = named(names, uid, id);
  const placed = isObject(position) ? { position: place(names, uid, position) } : {};
  return row ? { ...rest, ...row, ...placed } : value;
}

function named({ rowOf }: Names, uid: string, value: unknown): PlainObject | undefined {
  const id = numberIn(value);
  const row = id === null ? undefined : rowOf(uid, id);
  if (!row) return undefined;
  const { documentId, locale } = row;
  return { documentId, ...(locale !== null && { locale }) };
}

/** In `{ before: 7 }` the number also refers to an entry. */
const place = (names: Names, uid: string, position: PlainObject): PlainObject =>
  Object.fromEntries(
    Object.entries(position).map(([key, value]) => [key, named(names, uid, value)?.['documentId'] ?? value]),
  );

import { componentUid, type ItemsAttribute } from '../../documents/plan/items.js';
import { isObject, type PlainObject } from '../../values/plain-object.js';
import { componentGlobalId } from './v3-names.js';
import { type Stored3, strapi3FieldsOf } from './v3-stored.js';

interface Listed {
  /** The items as rendered, and as in the answer. */
  readonly made: readonly unknown[];
  readonly value: readonly unknown[];
  readonly kept: PlainObject;
  /** Only ids are shown. */
  readonly bare: boolean;
}

/**
 * Inserts the items whose component was missing in Strapi 3, which shows null for them or, in a zone, only
 * their `__component`. A list that was changed since no longer has them.
 */
export function withMissing(
  stored: Stored3,
  attribute: ItemsAttribute,
  { made, value, kept, bare }: Listed,
): readonly unknown[] {
  const places = Object.entries(kept)
    .flatMap(([path, item]) => {
      const [name, place, ...more] = path.split('/');
      const isOne = name === attribute.name && place !== undefined && more.length === 0 && isObject(item);
      return isOne && typeof item['kind'] === 'string' ? [[Number(place), item] as const] : [];
    })
    .sort(([a], [b]) => a - b);
  if (places.length === 0 || !value.every((item) => isOld(stored, attribute, item))) return made;
  const list = [...made];
  for (const [place, { kind, ref }] of places) {
    const uid =
      attribute.kind === 'zone' ? attribute.components.find((one) => componentGlobalId(one) === kind) : null;
    if (uid === undefined) continue;
    const zone = uid === null ? null : { __component: uid };
    list.splice(place, 0, bare ? (zone ? { ...zone, id: ref } : ref) : zone);
  }
  return list;
}

function isOld(stored: Stored3, attribute: ItemsAttribute, item: unknown): boolean {
  if (!isObject(item)) return false;
  return strapi3FieldsOf(stored.item(componentUid(attribute, item), item['id']))['_id'] !== undefined;
}

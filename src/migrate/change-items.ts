import { isObject } from '../values/plain-object.js';
import { componentsOf, type StoredShape, shapeModel } from './shape.js';
import type { ItemChange, ItemPlace } from './step-rule.js';
import type { StoredEntry } from './types.js';

interface Changing {
  readonly shape: StoredShape;
  /** The model whose items are changed. */
  readonly of: string;
  readonly change: ItemChange;
  readonly at: ItemPlace;
}

/**
 * Changes the items of one model inside `item`, including itself if `uid` is that model; null if nothing
 * changes.
 */
export async function changeItems(
  item: StoredEntry,
  uid: string,
  changing: Changing,
): Promise<StoredEntry | null> {
  let out = item;
  for (const [name, attribute] of Object.entries(shapeModel(changing.shape, uid)?.attributes ?? {})) {
    const value = item[name];
    const known = componentsOf(attribute);
    if (known.length === 0 || value === null || value === undefined) continue;
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    const inner = await Promise.all(
      list.map(async (one) => {
        const component = isObject(one) && attribute.type === 'zone' ? String(one['__component']) : known[0];
        return isObject(one) && component !== undefined ? changeItems(one, component, changing) : null;
      }),
    );
    if (inner.every((one) => one === null)) continue;
    const next = list.map((one, at) => inner[at] ?? one);
    out = { ...out, [name]: Array.isArray(value) ? next : next[0] };
  }
  if (uid === changing.of) out = (await changing.change(out, changing.at)) ?? out;
  return out === item ? null : out;
}

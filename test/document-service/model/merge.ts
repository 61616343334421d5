/** Rules G.8: the data of a clone are merged into the original, objects by member and lists by position. */
import { type Data, FROM, type ItemInput } from './content.js';
import { COMPONENTS, type Shape, type Shapes } from './shape.js';
import { type Content, type Item, rowsOf, type State } from './state.js';

/** The given attributes as the original makes them; those that stay are left out. */
export function mergedData(
  state: State,
  shapes: Shapes,
  original: Content,
  data: Data,
  owners: Data = {},
): Data {
  const merged = Object.entries(data).flatMap(([name, given]) => {
    const shape = shapes[name];
    if (given === undefined) return [];
    if (shape?.kind === 'link' || shape?.kind === 'inverse') {
      const links = mergedLinks(state, shape, given, original.links[name] ?? [], owners[name]);
      return links === undefined ? [] : [[name, links]];
    }
    if (shape?.kind !== 'items') return [[name, given]];
    return [[name, mergedItems(state, shape, original.items[name] ?? [], given)]];
  });
  return Object.fromEntries(merged);
}

function mergedLinks(
  state: State,
  shape: Extract<Shape, { kind: 'link' | 'inverse' }>,
  given: unknown,
  stored: Content['links'][string],
  owners: unknown,
): unknown {
  if (Array.isArray(given)) {
    if (!shape.many) return given;
    const exists = (doc: string) =>
      (['draft', 'published'] as const).some((status) => rowsOf(state, shape.target, doc, status).length > 0);
    const own = stored
      .filter(({ doc }) => exists(doc))
      .map(({ doc, locale }) => ({ documentId: doc, ...(locale !== null && { locale }) }));
    const originals: readonly unknown[] = Object(owners).set ?? own;
    return given.length === 0 ? undefined : [...given, ...originals.slice(given.length)];
  }
  const { set, connect, disconnect } = Object(given);
  const isNothing = [connect, disconnect].every((list) => Array.isArray(list) && list.length === 0);
  return set === undefined && isNothing ? undefined : given;
}

function mergedItems(
  state: State,
  shape: Extract<Shape, { kind: 'items' }>,
  stored: readonly Item[],
  given: unknown,
): unknown {
  const both = (item: Item | undefined, by: ItemInput): unknown => {
    if (!item) return by;
    const uid = by.__component ?? item.uid;
    const shapes = COMPONENTS[uid] ?? {};
    const base = Object.entries(whole(shape, item)).filter(([name]) => name in shapes);
    return {
      ...Object.fromEntries(base),
      ...mergedData(state, shapes, item, by),
      ...(shape.zone && { __component: uid }),
      ...(uid === item.uid && { [FROM]: item }),
    };
  };
  if (!shape.many) return given === null ? null : both(stored[0], given as ItemInput);
  if (!Array.isArray(given)) return given;
  return [
    ...given.map((by: ItemInput, at) => both(stored[at], by)),
    ...stored.slice(given.length).map((item) => whole(shape, item)),
  ];
}

/** An item of the original as data; what it refers to stays. */
function whole(shape: Extract<Shape, { kind: 'items' }>, item: Item): Data {
  const inner = Object.entries(item.items).map(([name, items]) => {
    const of = COMPONENTS[item.uid]?.[name];
    if (of?.kind !== 'items') return [name, null];
    const all = items.map((one) => whole(of, one));
    return [name, of.many ? all : (all[0] ?? null)];
  });
  return {
    ...item.scalars,
    ...Object.fromEntries(inner),
    ...(shape.zone && { __component: item.uid }),
    [FROM]: item,
  };
}

/** Values, components and links of a version after a write (rules E.3, E.7, F). */
import { type LinkInput, ownLinks, type Source } from './links.js';
import { invalid, type Refusal } from './refusal.js';
import { COMPONENTS, LONGEST, type Shape, type Shapes } from './shape.js';
import type { Content, Item, Scalar, State } from './state.js';

export type ItemInput = { readonly id?: number; readonly __component?: string } & Data;
/** In an item of a clone: the item that keeps what the data do not say. */
export const FROM: unique symbol = Symbol('from');
export interface Data {
  readonly [attribute: string]: unknown;
  readonly [FROM]?: Item;
}

interface Write {
  readonly state: State;
  readonly source: Source;
  /** Ids of items are used only in updates. */
  readonly creating: boolean;
  readonly refuse: (refusal: Refusal) => void;
}

/** Attributes missing from `data` keep their values; new entries get defaults. */
export function written(
  write: Write,
  shapes: Shapes,
  current: Content | null,
  data: Data,
  path = '',
): Content {
  const content: Content = { scalars: {}, links: {}, items: {} };
  for (const [name, shape] of Object.entries(shapes)) {
    const given = data[name];
    const at = path === '' ? name : `${path}.${name}`;
    if (shape.kind === 'text' || shape.kind === 'number') {
      const value = given === undefined ? (current?.scalars[name] ?? defaultOf(shape, current)) : given;
      content.scalars[name] = value as Scalar;
      if (typeof given === 'string' && given.length > LONGEST)
        write.refuse({ ...invalid(`${at} must be at most ${LONGEST} characters`), ofValue: true });
    } else if (shape.kind === 'link') {
      const links = current?.links[name] ?? [];
      content.links[name] =
        given === undefined
          ? links
          : ownLinks(write.state, write.source, shape, links, given as LinkInput, write.refuse);
    } else if (shape.kind === 'items') {
      const items = current?.items[name] ?? [];
      content.items[name] = given === undefined ? items : writtenItems(write, name, shape, items, given, at);
    }
  }
  return content;
}

const defaultOf = (shape: Shape, current: Content | null): Scalar =>
  current === null && shape.kind === 'number' ? (shape.default ?? null) : null;

function writtenItems(
  write: Write,
  name: string,
  shape: Extract<Shape, { kind: 'items' }>,
  current: readonly Item[],
  given: unknown,
  path: string,
): Item[] {
  const inputs = (given === null ? [] : shape.many ? given : [given]) as readonly ItemInput[];
  const used = new Set<number>();
  return inputs.map((input, at) => {
    const uid = input.__component ?? shape.uids[0] ?? '';
    let known: Item | null = null;
    if (!write.creating && input.id !== undefined) {
      known = current.find((item) => item.id === input.id && item.uid === uid) ?? null;
      if (!known || used.has(input.id)) write.refuse(unrelated(name, shape));
      used.add(input.id);
    }
    const shapes = COMPONENTS[uid] ?? {};
    return {
      // In a new item nothing is known, and ids are ignored, as in a new entry.
      ...written(
        { ...write, creating: known === null },
        shapes,
        known ?? input[FROM] ?? null,
        input,
        shape.many ? `${path}[${at}]` : path,
      ),
      uid,
      id: known?.id ?? null,
    };
  });
}

/** Rules E.7: the error for a zone has another name. */
const unrelated = (name: string, shape: Extract<Shape, { kind: 'items' }>): Refusal => ({
  name: shape.zone ? 'Error' : 'ApplicationError',
  message: `Some of the provided components in ${name} are not related to the entity`,
});

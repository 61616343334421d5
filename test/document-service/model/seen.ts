/** Everything that can be read, as returned by the service and as predicted by the model. */
import type { Documents } from '../../../src/documents/types.js';
import { isVisible, ownersOf } from './links.js';
import { COMPONENTS, type Shape, type Shapes, TYPE_NAMES, TYPES, type TypeName, uidOf } from './shape.js';
import { type Content, type Item, type Row, readStatus, type State, type Status } from './state.js';

export interface Seen {
  readonly [attribute: string]: unknown;
}

const STATUSES: readonly Status[] = ['draft', 'published'];

/** A `populate` of everything in a type, with components to their full depth. */
const populateOf = (shapes: Shapes): Record<string, object> =>
  Object.fromEntries(
    Object.entries(shapes).flatMap(([name, shape]) => {
      const populate = populateOne(shape);
      return populate ? [[name, populate]] : [];
    }),
  );

function populateOne(shape: Shape): object | null {
  if (shape.kind === 'link' || shape.kind === 'inverse')
    return { fields: ['documentId', ...(TYPES[shape.target].locales ? ['locale'] : [])] };
  if (shape.kind !== 'items') return null;
  const inner = (uid: string): object => ({ populate: populateOf(COMPONENTS[uid] ?? {}) });
  if (!shape.zone) return inner(shape.uids[0] ?? '');
  return { on: Object.fromEntries(shape.uids.map((uid) => [uid, inner(uid)])) };
}

const POPULATE = Object.fromEntries(TYPE_NAMES.map((type) => [type, populateOf(TYPES[type].attributes)]));

export const keyOf = (row: Seen): string => `${String(row['documentId'])} ${String(row['locale'] ?? '')}`;

/** All rows of every type and status, by document and locale. */
export async function readAll(documents: Documents): Promise<Map<string, Seen>> {
  const wanted = TYPE_NAMES.flatMap((type) => STATUSES.map((status) => ({ type, status })));
  const lists = await Promise.all(
    wanted.map(async ({ type, status }) => {
      const list = await documents(uidOf(type)).findMany({ status, locale: '*', populate: POPULATE[type] });
      return list.map((row): [string, Seen] => [`${type} ${status} ${keyOf(row)}`, row]);
    }),
  );
  return new Map(lists.flat());
}

/** The same rows according to the model, with a note of the links whose order is undefined. */
export function expectedAll(state: State): Map<string, { readonly row: Row; readonly status: Status }> {
  const all = state.rows.flatMap((row) =>
    STATUSES.filter((status) => readStatus(row.type, status) === row.status).map(
      (status): [string, { row: Row; status: Status }] => [
        `${row.type} ${status} ${row.doc} ${row.locale ?? ''}`,
        { row, status },
      ],
    ),
  );
  return new Map(all);
}

/** What a read of `status` returns for a row, without ids. */
export function expectedRow(state: State, row: Row, status: Status): Seen {
  return {
    documentId: row.doc,
    locale: row.locale,
    live: row.status === 'published',
    ...expectedContent(state, row, row, TYPES[row.type].attributes, status),
  };
}

function expectedContent(state: State, row: Row, content: Content, shapes: Shapes, status: Status): Seen {
  return Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => [
      name,
      expectedValue(state, row, content, name, shape, status),
    ]),
  );
}

function expectedValue(
  state: State,
  row: Row,
  content: Content,
  name: string,
  shape: Shape,
  status: Status,
): unknown {
  if (shape.kind === 'text' || shape.kind === 'number') return content.scalars[name];
  if (shape.kind === 'items')
    return (content.items[name] ?? []).map((item) => ({
      uid: item.uid,
      ...expectedContent(state, row, item, COMPONENTS[item.uid] ?? {}, status),
    }));
  if (shape.kind === 'inverse') return ownersOf(state, row, shape, status).map(({ doc }) => doc);
  return (content.links[name] ?? [])
    .filter((link) => isVisible(state, row, shape.target, link, status))
    .map(({ doc, locale }) => (locale === null ? doc : `${doc} ${locale}`));
}

/** What the service returned, in the same form. */
export function shownRow(type: TypeName, seen: Seen): Seen {
  return {
    documentId: seen['documentId'],
    locale: seen['locale'] ?? null,
    live: seen['publishedAt'] !== null,
    ...shownContent(type, seen, TYPES[type].attributes),
  };
}

const listOf = (value: unknown): readonly Seen[] =>
  (Array.isArray(value) ? value : value === null || value === undefined ? [] : [value]) as readonly Seen[];

function shownContent(type: TypeName, seen: Seen, shapes: Shapes): Seen {
  return Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => {
      const value = seen[name];
      if (shape.kind === 'text' || shape.kind === 'number') return [name, value];
      if (shape.kind !== 'items')
        return [
          name,
          listOf(value).map((target) =>
            TYPES[shape.target].locales && !TYPES[type].locales
              ? `${String(target['documentId'])} ${String(target['locale'])}`
              : target['documentId'],
          ),
        ];
      return [
        name,
        listOf(value).map((item) => {
          const uid = String(item['__component'] ?? shape.uids[0]);
          return { uid, ...shownContent(type, item, COMPONENTS[uid] ?? {}) };
        }),
      ];
    }),
  );
}

/** Numeric ids: known ones must match (rules 0.4, row 5; E.7), new ones must be new, and are recorded in the model. */
export function learnIds(row: Row, seen: Seen, usedItems: Set<string>): string[] {
  const wrong: string[] = [];
  if (row.id === null) row.id = Number(seen['id']);
  else if (row.id !== seen['id']) wrong.push(`id ${String(seen['id'])}, not ${row.id}`);
  const learn = (content: Content, shown: Seen): void => {
    for (const [name, items] of Object.entries(content.items))
      items.forEach((item: Item, at) => {
        const one = listOf(shown[name])[at] ?? {};
        const id = Number(one['id']);
        if (item.id === null) {
          if (usedItems.has(`${item.uid} ${id}`)) wrong.push(`${name}[${at}]: id ${id} was used before`);
          item.id = id;
          usedItems.add(`${item.uid} ${id}`);
        } else if (item.id !== id) wrong.push(`${name}[${at}]: id ${id}, not ${item.id}`);
        learn(item, one);
      });
  };
  learn(row, seen);
  return wrong;
}

import { componentOf, holdsItems, walkItems } from '../../documents/plan/items.js';
import { schemaAttribute } from '../../query/attributes.js';
import type { ContentType, Model, Schema } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import { addTo } from '../../values/group.js';
import { isObject, mapObjects } from '../../values/plain-object.js';
import type { Stored } from './stored.js';

/**
 * The id of a component item in the draft, given its id in the published version or in Strapi 3: clients send
 * what they were shown, from when there was a single version. Undefined if the draft does not have the item.
 */
export type DraftItems = (uid: string, id: unknown, at: ItemPath) => unknown;

/** The attributes that lead to an item. In Strapi 3, several attributes could hold the same item. */
type ItemPath = readonly string[];

export const SAME_ITEMS: DraftItems = (_, id) => (typeof id === 'string' && HEX.test(id) ? undefined : id);

/** Matches ids of Strapi 3. */
const HEX = /^[0-9a-f]{24}$/;

/** One locale of a document, which is one row in Strapi 4. */
export interface EntryKey {
  readonly documentId: string;
  readonly locale: string | null;
}

export async function draftItems(
  { schema, entries }: Stored,
  type: ContentType,
  { documentId, locale }: EntryKey,
): Promise<DraftItems> {
  if (type.storage) return SAME_ITEMS;
  const where = { documentId, ...(type.localized && { locale }) };
  const [[published], [draft]] = await Promise.all([
    entries(type, 'published', where),
    entries(type, type.draftAndPublish ? 'draft' : 'published', where),
  ]);
  const found = new Map<string, unknown>();
  const own = new Set<string>();
  const old = new Map<string, unknown[]>();
  if (draft) {
    eachPair(schema, type, [draft, draft], (uid, id) => own.add(`${uid} ${String(id)}`));
    if (published)
      eachPair(schema, type, [published, draft], (uid, id, other) =>
        found.set(`${uid} ${String(id)}`, other),
      );
    for (const [key, id] of oldIds(schema, type, draft, [])) addTo(old, key, id);
  }
  return (uid, id, at) => {
    const key = `${uid} ${String(id)}`;
    return found.get(key) ?? (own.has(key) ? id : old.get(oldKey(uid, id, at))?.shift());
  };
}

/** The numbers of component items, by the ids that they had in Strapi 3 (kept by the import). */
function* oldIds(
  schema: Schema,
  model: Model,
  entry: Entry,
  at: ItemPath,
): Generator<readonly [key: string, id: unknown]> {
  for (const { item, model: inner, attribute } of walkItems(schema, model, entry)) {
    const place = [...at, attribute.name];
    const kept = item['_strapi3'];
    if (isObject(kept) && kept['_id'] !== undefined)
      yield [oldKey(inner.uid, kept['_id'], place), item['id']];
    yield* oldIds(schema, inner, item, place);
  }
}

const oldKey = (uid: string, id: unknown, at: ItemPath): string => [at.join('.'), uid, String(id)].join(' ');

/** Calls `found` for each pair of items in the same position of both versions. */
export function eachPair(
  schema: Schema,
  model: Model,
  [a, b]: readonly [Entry, Entry],
  found: (uid: string, id: unknown, other: unknown) => void,
): void {
  const others = new Map([...walkItems(schema, model, b)].map((found) => [found.path.join('/'), found]));
  for (const { item, model: inner, path } of walkItems(schema, model, a)) {
    const other = others.get(path.join('/'));
    if (other?.model !== inner) continue;
    found(inner.uid, item['id'], other.item['id']);
    eachPair(schema, inner, [item, other.item], found);
  }
}

/** `data` of a write with the ids that its items have in the draft. */
export function withDraftItems(schema: Schema, model: Model, data: Entry, items: DraftItems): Entry {
  return renumbered({ schema, items }, model, data, []);
}

interface Numbering {
  readonly schema: Schema;
  readonly items: DraftItems;
}

function renumbered({ schema, items }: Numbering, model: Model, data: Entry, at: ItemPath): Entry {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => {
      const attribute = schemaAttribute(model, name);
      if (!attribute || !holdsItems(attribute)) return [name, value];
      const numbered = (item: Entry): unknown => {
        const inner = componentOf(schema, attribute, item);
        if (!inner) return item;
        const place = [...at, name];
        const { id: given, ...rest } = renumbered({ schema, items }, inner, item, place);
        const id = given === undefined ? undefined : items(inner.uid, given, place);
        return id === undefined ? rest : { ...rest, id };
      };
      return [name, mapObjects(value, numbered)];
    }),
  );
}

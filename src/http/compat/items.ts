import { componentOf, holdsItems, isEntry, walkItems } from '../../documents/plan/items.js';
import { collectionName } from '../../pipeline/collection.js';
import { attributeBehind } from '../../query/attributes.js';
import type { ContentType, Model, Schema } from '../../schema/types.js';
import type { Entry } from '../../store/changes.js';
import type { Store } from '../../store/client.js';
import { readEntries } from '../../store/entries.js';

/**
 * The number of a component item in the draft, by that in the published version: clients of Strapi 3 and 4 send the numbers of what
 * they were shown, and there was one version. Undefined for an item that the draft does not have.
 */
export type DraftItems = (uid: string, id: unknown) => unknown;

export const SAME_ITEMS: DraftItems = (_, id) => id;

interface EntryKey {
  readonly documentId: string;
  readonly locale: string | null;
}

export async function draftItems(
  { store, schema }: { readonly store: Store; readonly schema: Schema },
  type: ContentType,
  { documentId, locale }: EntryKey,
): Promise<DraftItems> {
  if (!type.draftAndPublish || type.storage) return SAME_ITEMS;
  const where = { documentId, ...(type.localized && { locale }) };
  const [[published], [draft]] = await Promise.all([
    readEntries(store.db, collectionName(type, 'published'), where),
    readEntries(store.db, collectionName(type, 'draft'), where),
  ]);
  const found = new Map<string, unknown>();
  const own = new Set<string>();
  if (draft) {
    pair(schema, type, [draft, draft], (uid, id) => own.add(`${uid} ${String(id)}`));
    if (published)
      pair(schema, type, [published, draft], (uid, id, other) => found.set(`${uid} ${String(id)}`, other));
  }
  return (uid, id) => {
    const key = `${uid} ${String(id)}`;
    return found.get(key) ?? (own.has(key) ? id : undefined);
  };
}

/** Tells the items that stand in the same place of both versions. */
export function pair(
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
    pair(schema, inner, [item, other.item], found);
  }
}

/** `data` of a write with the numbers that its items have in the draft. */
export function withDraftItems(schema: Schema, model: Model, data: Entry, items: DraftItems): Entry {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => {
      const attribute = attributeBehind(model, name);
      if (!attribute || !holdsItems(attribute)) return [name, value];
      const one = (item: unknown): unknown => {
        const inner = componentOf(schema, attribute, item);
        if (!inner || !isEntry(item)) return item;
        const { id: given, ...rest } = withDraftItems(schema, inner, item, items);
        const id = given === undefined ? undefined : items(inner.uid, given);
        return id === undefined ? rest : { ...rest, id };
      };
      return [name, Array.isArray(value) ? value.map(one) : one(value)];
    }),
  );
}

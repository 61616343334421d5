import type { ContentType } from '../../schema/types.js';
import { statusesOf } from '../../store/connection/collections.js';
import { memberOf } from '../../values/once-per.js';
import { numericId } from '../../values/plain-object.js';
import type { EntryKey, Stored } from './items.js';
import { entriesOf } from './rows.js';

/** The rows that numbers mean; undefined for a number that none has, and for types whose numbers mean the same here. */
export type RowsOf = (uid: string, id: number) => EntryKey | undefined;

/** Whether a number of this type may be that of another version than the one that is asked for. */
export const hasVersions = (type: ContentType | undefined): type is ContentType =>
  type?.origin === 'api' && type.storage === null && (type.draftAndPublish || type.localized);

/** What `make` gives once the rows that it asks for are known. Clients know the number of what is published, else the draft's. */
export async function withRows<T>({ store, schema }: Stored, make: (rowOf: RowsOf) => T): Promise<T> {
  const wanted = new Map<string, Set<number>>();
  const first = make((uid, id) => {
    memberOf(wanted, uid, () => new Set()).add(id);
    return undefined;
  });
  if (wanted.size === 0) return first;
  const found = new Map<string, EntryKey>();
  for (const [uid, ids] of wanted) {
    const type = schema.contentTypes.get(uid);
    if (!hasVersions(type)) continue;
    for (const status of statusesOf(type))
      for (const row of await entriesOf(store, type, { status, where: { id: { $in: [...ids] } } }))
        found.set(`${uid} ${row.id}`, row);
  }
  return make((uid, id) => found.get(`${uid} ${id}`));
}

/** A number, also as text. */
export const numberIn = (value: unknown): number | null =>
  typeof value === 'string' ? numericId(value) : typeof value === 'number' ? value : null;

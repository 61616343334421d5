import { statusesOf } from '../../schema/stored/collections.js';
import type { ContentType } from '../../schema/types.js';
import { memberOf } from '../../values/once-per.js';
import { numericId } from '../../values/plain-object.js';
import type { EntryKey } from './items.js';
import { entriesOf } from './rows.js';
import type { Stored } from './stored.js';

/** Looks up the row of an id; undefined for unknown ids, and for types whose ids need no translation. */
export type RowsOf = (uid: string, id: number) => EntryKey | undefined;

/** Whether an id of this type may belong to another version than the requested one. */
export const hasVersions = (type: ContentType | undefined): type is ContentType =>
  type?.origin === 'api' && type.storage === null && (type.draftAndPublish || type.localized);

/**
 * Runs `make` twice if it looks up rows: first to collect their ids, then with the rows known. Clients know
 * the id of the published version, or else the draft's.
 */
export async function withRows<T>(stored: Stored, make: (rowOf: RowsOf) => T): Promise<T> {
  const wanted = new Map<string, Set<number>>();
  const first = make((uid, id) => {
    memberOf(wanted, uid, () => new Set()).add(id);
    return undefined;
  });
  if (wanted.size === 0) return first;
  const found = new Map<string, EntryKey>();
  for (const [uid, ids] of wanted) {
    const type = stored.schema.contentTypes.get(uid);
    if (!hasVersions(type)) continue;
    for (const status of statusesOf(type))
      for (const row of await entriesOf(stored, type, { status, where: { id: { $in: [...ids] } } }))
        found.set(`${uid} ${row.id}`, row);
  }
  return make((uid, id) => found.get(`${uid} ${id}`));
}

/** A number, also given as text. */
export const numberIn = (value: unknown): number | null =>
  typeof value === 'string' ? numericId(value) : typeof value === 'number' ? value : null;

import { statusesOf } from '../../schema/stored/collections.js';
import type { ContentType } from '../../schema/types.js';
import { numericId } from '../../values/plain-object.js';
import type { EntryKey } from './items.js';
import { Lookup, withLookups } from './lookup.js';
import { entriesOf } from './rows.js';
import type { Stored } from './stored.js';

/** Looks up the row of an id; undefined for unknown ids, and for types whose ids need no translation. */
export type RowsOf = (uid: string, id: number) => EntryKey | undefined;

/** Whether an id of this type may belong to another version than the requested one. */
export const hasVersions = (type: ContentType | undefined): type is ContentType =>
  type?.origin === 'api' && type.storage === null && (type.draftAndPublish || type.localized);

/** Translates with the rows of ids. Clients know the id of the published version, or else the draft's. */
export async function withRows<T>(stored: Stored, make: (rowOf: RowsOf) => T): Promise<T> {
  const rows = new Lookup<number, EntryKey>(async (uid, ids) => {
    const type = stored.schema.contentTypes.get(uid);
    if (!hasVersions(type)) return [];
    const found = statusesOf(type).map((status) =>
      entriesOf(stored, type, { status, where: { id: { $in: ids } } }),
    );
    return (await Promise.all(found)).flat().map((row) => [row.id, row]);
  });
  return withLookups([rows], () => make((uid, id) => rows.get(uid, id)));
}

/** A number, also given as text. */
export const numberIn = (value: unknown): number | null =>
  typeof value === 'string' ? numericId(value) : typeof value === 'number' ? value : null;

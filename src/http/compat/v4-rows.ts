import { collectionName } from '../../pipeline/collection.js';
import type { ContentType } from '../../schema/types.js';
import { statusesOf } from '../../store/connection/collections.js';
import { readEntries } from '../../store/entries/entries.js';
import { memberOf } from '../../values/once-per.js';
import { numericId } from '../../values/plain-object.js';
import type { Stored } from './items.js';

/** A row of Strapi 4: one locale of one document. */
interface Row4 {
  readonly documentId: string;
  readonly locale: string | null;
}

/** The rows that numbers mean; undefined for a number that none has, and for types whose numbers mean the same here. */
export type RowsOf = (uid: string, id: number) => Row4 | undefined;

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
  const found = new Map<string, Row4>();
  for (const [uid, ids] of wanted) {
    const type = schema.contentTypes.get(uid);
    if (!hasVersions(type)) continue;
    for (const status of statusesOf(type))
      for (const row of await readEntries(
        store.db,
        collectionName(type, status),
        { id: { $in: [...ids] } },
        { fields: ['id', 'documentId', 'locale'] },
      ))
        found.set(`${uid} ${Number(row['id'])}`, {
          documentId: String(row['documentId']),
          locale: typeof row['locale'] === 'string' ? row['locale'] : null,
        });
  }
  return make((uid, id) => found.get(`${uid} ${id}`));
}

/** A number, also as text. */
export const numberIn = (value: unknown): number | null =>
  typeof value === 'string' ? numericId(value) : typeof value === 'number' ? value : null;

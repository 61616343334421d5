import { ObjectId } from 'bson';
import type { ForeignDatabase, ForeignDocument } from '../../store/transfer/foreign.js';
import { isObject } from '../../values/plain-object.js';

/** The text that names a document: the hex of its ObjectId, or its id as text. */
export const refOf = (id: unknown): string => String(id);

const HEX = /^[0-9a-f]{24}$/i;

/** An id as it is looked for: mongoose takes a string of 24 hexadecimal digits for an ObjectId. Null: it is not a reference. */
export function idOf(value: unknown): ObjectId | null {
  if (typeof value === 'object' && value !== null && '_bsontype' in value)
    return value._bsontype === 'ObjectId' ? new ObjectId(String(value)) : null;
  return typeof value === 'string' && HEX.test(value) ? new ObjectId(value) : null;
}

/** `{ kind, ref }` of components and polymorphic relations. */
interface KindRef {
  readonly kind: string;
  readonly ref: unknown;
}

export const kindRef = (value: unknown): KindRef | null =>
  isObject(value) && typeof value['kind'] === 'string' && idOf(value['ref']) !== null
    ? { kind: value['kind'], ref: idOf(value['ref']) }
    : null;

/** Documents that a batch of entries refers to, fetched together: each collection is asked once for many. */
export class Fetched {
  readonly #database: ForeignDatabase;
  readonly #known = new Map<string, Map<string, ForeignDocument>>();

  constructor(database: ForeignDatabase) {
    this.#database = database;
  }

  /** Fetches those that are not known yet. */
  async fetch(wanted: ReadonlyMap<string, readonly unknown[]>, idsOnly: boolean): Promise<void> {
    for (const [collection, ids] of wanted) {
      const known = this.#known.get(collection) ?? new Map<string, ForeignDocument>();
      this.#known.set(collection, known);
      const missing = [...new Map(ids.map((id) => [refOf(id), id])).values()].filter(
        (id) => !known.has(refOf(id)),
      );
      for (let at = 0; at < missing.length; at += 1000)
        for (const document of await this.#database.byIds(
          collection,
          bothForms(missing.slice(at, at + 1000)),
          idsOnly,
        ))
          known.set(refOf(document['_id']), document);
    }
  }

  get(collection: string, id: unknown): ForeignDocument | undefined {
    return this.#known.get(collection)?.get(refOf(id));
  }
}

/** Ids with what another program may have written in their place: their digits as a string. */
const bothForms = (ids: readonly unknown[]): readonly unknown[] => ids.flatMap((id) => [id, refOf(id)]);

/** What a field holds, as a list whatever it is. */
export const list = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === null || value === undefined ? [] : [value];

/** Component documents that entries were seen to hold, by collection. */
export type Seen = Map<string, Set<string>>;

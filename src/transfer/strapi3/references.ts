import { ObjectId } from 'bson';
import type { ForeignDatabase, ForeignDocument } from '../../store/transfer/foreign.js';
import { memberOf } from '../../values/once-per.js';
import { isObject } from '../../values/plain-object.js';

/** The text that identifies a document: the hex string of its ObjectId, or its id as text. */
export const referenceText = (id: unknown): string => String(id);

const HEX = /^[0-9a-f]{24}$/i;

/**
 * The id to look up: mongoose casts a string of 24 hexadecimal digits to an ObjectId. Null if it is not a
 * reference.
 */
export function objectIdOf(value: unknown): ObjectId | null {
  if (typeof value === 'object' && value !== null && '_bsontype' in value)
    return value._bsontype === 'ObjectId' ? new ObjectId(String(value)) : null;
  return typeof value === 'string' && HEX.test(value) ? new ObjectId(value) : null;
}

/** The `{ kind, ref }` of components and polymorphic relations. */
interface KindRef {
  readonly kind: string;
  readonly ref: unknown;
}

export const kindRef = (value: unknown): KindRef | null =>
  isObject(value) && typeof value['kind'] === 'string' && objectIdOf(value['ref']) !== null
    ? { kind: value['kind'], ref: objectIdOf(value['ref']) }
    : null;

/** Fetches the documents that a batch of entries refers to, with few queries per collection. */
export class Fetched {
  readonly #database: ForeignDatabase;
  readonly #known = new Map<string, Map<string, ForeignDocument>>();

  constructor(database: ForeignDatabase) {
    this.#database = database;
  }

  /** Fetches the documents that have not been fetched yet. */
  async fetch(wanted: ReadonlyMap<string, readonly unknown[]>, idsOnly: boolean): Promise<void> {
    for (const [collection, ids] of wanted) {
      const known = memberOf(this.#known, collection, () => new Map<string, ForeignDocument>());
      const missing = [...new Map(ids.map((id) => [referenceText(id), id])).values()].filter(
        (id) => !known.has(referenceText(id)),
      );
      for (let at = 0; at < missing.length; at += 1000)
        for (const document of await this.#database.byIds(
          collection,
          bothForms(missing.slice(at, at + 1000)),
          idsOnly,
        ))
          known.set(referenceText(document['_id']), document);
    }
  }

  get(collection: string, id: unknown): ForeignDocument | undefined {
    return this.#known.get(collection)?.get(referenceText(id));
  }
}

/** The ids, and the hex strings that another program may have stored instead. */
const bothForms = (ids: readonly unknown[]): readonly unknown[] =>
  ids.flatMap((id) => [id, referenceText(id)]);

/** The value of a field as a list. */
export const list = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === null || value === undefined ? [] : [value];

/** Ids of the component documents found in entries, by collection. */
export type Seen = Map<string, Set<string>>;

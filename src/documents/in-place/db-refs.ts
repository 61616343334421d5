/** References that are stored as DBRefs, `{ $ref, $id }`. */
import { DBRef, type ObjectId } from 'bson';
import { isBson } from '../../values/bson.js';
import { keyText } from '../../values/json-form.js';

/** The DBRefs for these keys, each as it was where it stays. */
export function dbRefsFor(keys: unknown, stored: unknown, collection: string): unknown {
  const present = new Map(
    [stored]
      .flat()
      .filter(isDbRef)
      .map((each) => [keyText(each.oid), each]),
  );
  // Any type of `_id` may be referred to, whatever the class says.
  const refer = (key: unknown): DBRef => present.get(keyText(key)) ?? new DBRef(collection, key as ObjectId);
  if (Array.isArray(keys)) return keys.map(refer);
  return keys === null || keys === undefined ? keys : refer(keys);
}

const isDbRef = (value: unknown): value is DBRef => isBson(value, 'DBRef');

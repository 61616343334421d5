import type { Document } from 'bson';
import { compileCollection, documentKeys, entryOf } from '../indexes/compile-index.js';
import type { CollectionMeta } from '../storage/catalog.js';
import { recordBytes, recordOf, tableRange } from '../storage/layout.js';
import type { Reader } from '../storage/view.js';
import { decodeDocument } from '../values/index.js';
import { PAUSE, type Paced } from '../values/pace.js';
import { isTurnOver, tick } from '../values/work.js';
import { existing } from './collections.js';
import { type Command, collectionName, readPaced } from './operation.js';

const MOST_ERRORS = 20;

/** Checks every index of a collection against its documents, in both directions. Returns the discrepancies. */
function* disagreements(
  reader: Reader,
  collection: CollectionMeta,
): Paced<{ errors: string[]; keys: Document; records: number }> {
  const { indexes } = compileCollection(collection);
  const errors: string[] = [];
  const expected = indexes.map(() => 0);
  let records = 0;
  for (const { key, value } of reader.entries(tableRange(collection.table))) {
    records += 1;
    tick();
    if (isTurnOver()) yield PAUSE;
    const record = recordBytes(recordOf(key));
    const document = decodeDocument(value);
    indexes.forEach((index, i) => {
      for (const own of documentKeys(index, document).keys) {
        expected[i] = (expected[i] as number) + 1;
        const entry = entryOf(index, own.key, record);
        // Older data folders have more in a value.
        const found = reader.get(entry.key)?.subarray(0, entry.value.length);
        if (found?.equals(entry.value) !== true) {
          errors.push(`index ${index.name} lacks the entry of _id ${String(document['_id'])}`);
        }
      }
    });
  }
  const keys: Document = {};
  indexes.forEach((index, i) => {
    let count = 0;
    for (const _ of reader.keys(tableRange(index.meta.table))) count += 1;
    keys[index.name] = count;
    if (count !== expected[i])
      errors.push(`index ${index.name} has ${count} entries, its documents ${expected[i]}`);
  });
  const counted = reader.count(collection.table);
  if (counted !== records) errors.push(`the collection counts ${counted} documents and has ${records}`);
  return { errors, keys, records };
}

export const validate: Command = (operation) => {
  const name = collectionName(operation);
  return readPaced(operation, function* (reader) {
    const ns = `${operation.db}.${name}`;
    const collection = existing(reader.catalog.get(operation.db, name), ns);
    const { errors, keys, records } = yield* disagreements(reader, collection);
    return {
      ns,
      nInvalidDocuments: 0,
      nrecords: records,
      nIndexes: collection.indexes.length,
      keysPerIndex: keys,
      valid: errors.length === 0,
      errors: errors.slice(0, MOST_ERRORS),
      warnings: [],
    };
  });
};

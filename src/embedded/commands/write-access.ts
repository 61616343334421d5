import type { Document } from 'bson';
import type { CollectionAccess } from '../aggregation/index.js';
import type { Meter } from '../planner/meter.js';
import { runQuery } from '../planner/run-query.js';
import { insertRecord, prepareDocument, storedRecord, updateRecord } from '../records/records.js';
import type { Batch } from '../storage/batch.js';
import { encodeDocument } from '../storage/encode.js';
import { unpaced } from '../values/pace.js';
import { collectionForWrite, createCollection } from './collections.js';
import { checkName } from './operation.js';

function insertAll(batch: Batch, db: string, name: string, documents: readonly Document[]): void {
  let collection = collectionForWrite(batch, db, name);
  for (const given of documents) {
    const { bytes, document } = prepareDocument(encodeDocument(given));
    ({ collection } = insertRecord(batch, collection, bytes, document));
  }
}

/** The collection is made anew with the options and indexes of the old one, all in the same commit. */
function replaceAll(batch: Batch, db: string, name: string, documents: readonly Document[]): void {
  const old = batch.catalog.get(db, name);
  if (old !== undefined) batch.dropCollection(old);
  const collection = createCollection(batch, db, name, old?.options ?? {});
  const indexes = (old?.indexes ?? [])
    .slice(1)
    .map(({ spec }) => ({ table: batch.catalog.newTable(), spec, multikey: [] }));
  batch.saveCollection({ ...collection, indexes: [...collection.indexes, ...indexes] });
  insertAll(batch, db, name, documents);
}

function replaceOne(
  batch: Batch,
  db: string,
  name: string,
  id: unknown,
  document: Document,
  meter: Meter,
): void {
  const collection = collectionForWrite(batch, db, name);
  const [found] = unpaced(runQuery(batch, collection, { filter: { _id: { $eq: id } }, limit: 1 }, meter));
  if (found !== undefined) updateRecord(batch, collection, storedRecord(found), document, false);
}

/** What `$out` and `$merge` do to a collection, within a batch. */
export function writeAccess(
  batch: Batch,
  db: string,
  name: string,
  meter: Meter,
): Omit<CollectionAccess, 'find'> {
  return {
    replaceAll: (documents) => {
      checkName(db, name);
      replaceAll(batch, db, name, documents);
    },
    insertMany: (documents) => {
      checkName(db, name);
      insertAll(batch, db, name, documents);
    },
    replaceOne: (id, document) => replaceOne(batch, db, name, id, document, meter),
  };
}

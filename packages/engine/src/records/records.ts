import { type Document, ObjectId } from 'bson';
import { EngineError, fail } from '../errors.js';
import { maintainIndexes } from '../indexes/maintain.js';
import type { CollectionMeta } from '../storage/catalog.js';
import { encodeDocument } from '../storage/encode.js';
import { recordKey } from '../storage/layout.js';
import { clusterTime } from '../storage/oplog.js';
import type { Writable } from '../storage/view.js';
import { checkStored, MAX_DOCUMENT_BYTES } from '../values/document-size.js';
import { Encoded } from '../values/encoded.js';
import { decodeDocument, isDocument } from '../values/index.js';
import { UNDEFINED } from '../values/types.js';
import { describeUpdate } from './describe-update.js';

/** A stored document: its number, its bytes, and its decoded form. */
export interface StoredRecord {
  readonly record: number;
  readonly bytes: Buffer;
  readonly document: Document;
}

/** A found document, decoded in full. */
export const storedRecord = ({ record, bytes }: { record: number; bytes: Buffer }): StoredRecord => ({
  record,
  bytes,
  document: decodeDocument(bytes),
});

function checkId(id: unknown): void {
  if (Array.isArray(id)) fail(53, "The '_id' value cannot be of type array");
  if (id === undefined || id === UNDEFINED) fail(53, "The '_id' value cannot be of type undefined");
  if (typeof id === 'object' && id !== null && (id as Document)['_bsontype'] === 'BSONRegExp') {
    fail(53, "The '_id' value cannot be of type regex");
  }
  if (isDocument(id)) {
    const bad = Object.keys(id).find((name) => name.startsWith('$'));
    if (bad !== undefined)
      fail(
        'DollarPrefixedFieldName',
        `_id fields may not contain '$'-prefixed fields: ${bad} is not valid for storage.`,
      );
  }
}

const ID_NAME = Buffer.from('_id\0');

const startsWithId = (bytes: Buffer): boolean => bytes.length > 9 && bytes.subarray(5, 9).equals(ID_NAME);

let stamped = 0;

/** Fills in empty timestamps in the document's own fields except `_id`; returns the same value if it has none. */
export function stampTimes(document: Document): Document {
  let out = document;
  for (const name in document) {
    const value = document[name];
    if (name === '_id' || value?._bsontype !== 'Timestamp' || !value.isZero()) continue;
    stamped += 1;
    if (out === document) out = { ...document };
    out[name] = clusterTime(Date.now(), stamped);
  }
  return out;
}

/** A document ready to be stored: empty timestamps filled in, with an `_id` as its first field. */
export function prepareDocument(bytes: Buffer, isUpsert = false): { bytes: Buffer; document: Document } {
  checkStored(bytes, isUpsert);
  const given = decodeDocument(bytes);
  const document = stampTimes(given);
  if (document === given && startsWithId(bytes)) {
    checkId(document['_id']);
    return { bytes, document };
  }
  const { _id = new ObjectId(), ...rest } = document;
  checkId(_id);
  const whole = { _id, ...rest };
  return { bytes: encodeDocument(whole), document: whole };
}

/** Stores a new document and its index entries. Throws the duplicate key error before anything is written. */
export function insertRecord(
  view: Writable,
  collection: CollectionMeta,
  bytes: Buffer,
  document: Document,
): { record: number; collection: CollectionMeta } {
  view.touch(collection);
  const record = view.nextRecord(collection.table);
  const changed = maintainIndexes(view, collection, record, { after: document });
  view.put(recordKey(collection.table, record), bytes);
  view.addCount(collection.table, 1);
  view.log({
    type: 'insert',
    db: collection.db,
    collection: collection.name,
    body: { documentKey: { _id: document['_id'] }, fullDocument: new Encoded(bytes) },
  });
  return { record, collection: changed };
}

/** Replaces a stored document. Returns whether anything changed. */
export function updateRecord(
  view: Writable,
  collection: CollectionMeta,
  old: StoredRecord,
  { document, replaces }: { readonly document: Document; readonly replaces: boolean },
): { changed: boolean; collection: CollectionMeta } {
  const bytes = encodeDocument(document);
  if (bytes.equals(old.bytes)) return { changed: false, collection };
  if (bytes.length > MAX_DOCUMENT_BYTES) {
    throw new EngineError(17419, 'Resulting document after update is larger than 16777216');
  }
  view.touch(collection);
  const key = recordKey(collection.table, old.record);
  view.lock(key);
  const changed = maintainIndexes(view, collection, old.record, { before: old.document, after: document });
  view.put(key, bytes);
  const documentKey = { _id: document['_id'] };
  const body = replaces
    ? { documentKey, fullDocument: new Encoded(bytes) }
    : { documentKey, updateDescription: describeUpdate(old.document, document) };
  view.log({ type: replaces ? 'replace' : 'update', db: collection.db, collection: collection.name, body });
  return { changed: true, collection: changed };
}

/** Removes a stored document and its index entries. */
export function deleteRecord(view: Writable, collection: CollectionMeta, old: StoredRecord): void {
  view.touch(collection);
  const key = recordKey(collection.table, old.record);
  view.lock(key);
  maintainIndexes(view, collection, old.record, { before: old.document });
  view.remove(key);
  view.addCount(collection.table, -1);
  view.log({
    type: 'delete',
    db: collection.db,
    collection: collection.name,
    body: { documentKey: { _id: old.document['_id'] } },
  });
}

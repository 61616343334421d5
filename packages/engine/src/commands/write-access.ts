import type { Document } from 'bson';
import type { CollectionAccess } from '../aggregation/index.js';
import { fail } from '../errors.js';
import { compileCollection } from '../indexes/compile-index.js';
import type { Meter } from '../planner/meter.js';
import { runQuery } from '../planner/run-query.js';
import { insertRecord, prepareDocument, storedRecord, updateRecord } from '../records/records.js';
import type { Batch } from '../storage/batch.js';
import { newIndex } from '../storage/catalog.js';
import { encodeDocument } from '../storage/encode.js';
import { type Collation, isSameCollation } from '../values/collation.js';
import { unpaced } from '../values/pace.js';
import { collectionForWrite, createCollection, OWN_DATABASES, refuseView } from './collections.js';
import { checkName } from './operation.js';
import { validateDocument } from './validate-document.js';

/** Where a pipeline writes, and how. */
interface Target {
  readonly batch: Batch;
  readonly db: string;
  readonly name: string;
  readonly meter: Meter;
  /** The operation's collation, which a merge uses for comparisons. */
  readonly collation: Collation | undefined;
  /** Checked by the collection's validator. */
  readonly validates: boolean;
}

function insertAll({ batch, db, name, validates }: Target, documents: readonly Document[]): void {
  let collection = collectionForWrite(batch, db, name);
  for (const given of documents) {
    const { bytes, document } = prepareDocument(encodeDocument(given));
    if (validates) validateDocument(collection, document);
    ({ collection } = insertRecord(batch, collection, bytes, document));
  }
}

/** The collection is recreated with the options and indexes of the old one, in the same commit. */
function replaceAll(target: Target, documents: readonly Document[]): void {
  const { batch, db, name } = target;
  const old = batch.catalog.get(db, name);
  if (old?.options['capped'] === true)
    fail(17152, `namespace '${db}.${name}' is capped so it can't be used for $out`);
  if (old !== undefined) {
    refuseView(old);
    batch.dropCollection(old);
  }
  const collection = createCollection(batch, db, name, old?.options ?? {});
  const indexes = (old?.indexes ?? []).slice(1).map(({ spec }) => newIndex(batch.catalog.newTable(), spec));
  batch.saveCollection({ ...collection, indexes: [...collection.indexes, ...indexes] });
  insertAll(target, documents);
}

function replaceOne({ batch, db, name, meter, validates }: Target, id: unknown, document: Document): void {
  const collection = collectionForWrite(batch, db, name);
  const [found] = unpaced(
    runQuery(
      batch,
      collection,
      { filter: { _id: { $eq: id } }, limit: 1, shortcuts: meter.shortcuts },
      meter,
    ),
  );
  if (found === undefined) return;
  const old = storedRecord(found);
  if (validates) validateDocument(collection, document, old.document);
  updateRecord(batch, collection, old, { document, replaces: false });
}

/** Whether a unique index covers exactly these fields: not partial, and without its own collation. */
function isUniqueOn({ batch, db, name, ...target }: Target, fields: readonly string[]): boolean {
  if (fields.length === 1 && fields[0] === '_id') return true;
  const meta = batch.catalog.get(db, name);
  if (meta === undefined) return false;
  return compileCollection(meta).indexes.some(
    ({ unique, paths, partialFilter, collation, ordered }) =>
      unique &&
      ordered &&
      partialFilter === undefined &&
      isSameCollation(collation, target.collation) &&
      paths.length === fields.length &&
      paths.every((path) => fields.includes(path)),
  );
}

/** The writes of `$out` and `$merge` to a collection, in one batch. */
export function writeAccess(target: Target): Omit<CollectionAccess, 'find'> {
  const { db, name } = target;
  const check = (code: number, internal: number): void => {
    checkName(db, name);
    if (name.startsWith('system.')) fail(code, `Can't write to special collection: ${db}.${name}`);
    const known = target.batch.catalog.get(db, name);
    if (known !== undefined) refuseView(known);
    if (OWN_DATABASES.has(db)) fail(internal, `Cannot write to internal database: ${db}`);
  };
  return {
    replaceAll: (documents) => {
      check(17385, 31321);
      replaceAll(target, documents);
    },
    insertMany: (documents) => {
      check(31319, 31320);
      insertAll(target, documents);
    },
    replaceOne: (id, document) => replaceOne(target, id, document),
    isUniqueOn: (fields) => {
      check(31319, 31320);
      return isUniqueOn(target, fields);
    },
  };
}

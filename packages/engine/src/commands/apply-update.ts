import { type Document, ObjectId } from 'bson';
import type { Meter } from '../planner/meter.js';
import type { Query } from '../planner/plan.js';
import { runQuery } from '../planner/run-query.js';
import type { Found } from '../planner/scan.js';
import { insertRecord, prepareDocument, stampTimes, storedRecord, updateRecord } from '../records/records.js';
import type { CollectionMeta } from '../storage/catalog.js';
import { encodeDocument } from '../storage/encode.js';
import type { Writable } from '../storage/view.js';
import type { CompiledUpdate } from '../update/index.js';
import { unpaced } from '../values/pace.js';
import { trimCapped } from './capped.js';
import { validateDocument } from './validate-document.js';

/** The documents affected by a write, read in full before the first one is changed. */
export function findForWrite(
  view: Writable,
  collection: CollectionMeta,
  query: Query,
  meter: Meter,
): Found[] {
  return [...unpaced(runQuery(view, collection, query, meter))];
}

/** The outcome of one document's update. */
interface Updated {
  readonly collection: CollectionMeta;
  readonly changed: boolean;
  readonly before: Document;
  readonly after: Document;
}

/** Applies a compiled update to one stored document. */
export function applyUpdate(
  view: Writable,
  collection: CollectionMeta,
  found: Found,
  { update, validates }: { readonly update: CompiledUpdate; readonly validates: boolean },
): Updated {
  const old = storedRecord(found);
  const changed = update.apply(old.document);
  const after = update.replaces ? stampTimes(changed) : changed;
  // A replacement is validated even if it changes nothing.
  if (after === old.document && !update.replaces) {
    return { collection, changed: false, before: old.document, after };
  }
  if (validates) validateDocument(collection, after, old.document);
  const result = updateRecord(view, collection, old, { document: after, replaces: update.replaces });
  return { ...result, before: old.document, after };
}

/** Inserts the document of an upsert that matched nothing. */
export function applyUpsert(
  view: Writable,
  collection: CollectionMeta,
  update: CompiledUpdate,
  validates: boolean,
): { collection: CollectionMeta; document: Document } {
  const seed = update.insert();
  const { _id = new ObjectId(), ...rest } = seed;
  const { bytes, document } = prepareDocument(encodeDocument({ _id, ...rest }), true);
  if (validates) validateDocument(collection, document);
  const inserted = insertRecord(view, collection, bytes, document).collection;
  trimCapped(view, inserted);
  return { collection: inserted, document };
}

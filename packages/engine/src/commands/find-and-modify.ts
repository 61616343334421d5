import type { Document } from 'bson';
import { fail } from '../errors.js';
import { NOT_IN_UPSERTS, refuseConditions } from '../matching/refuse-conditions.js';
import type { Query } from '../planner/plan.js';
import { runQuery } from '../planner/run-query.js';
import type { Found } from '../planner/scan.js';
import { compileProjection } from '../projection/index.js';
import { deleteRecord, storedRecord } from '../records/records.js';
import type { Writable } from '../storage/view.js';
import { type CompiledUpdate, compileStatement } from '../update/index.js';
import { asksMetadata } from '../values/metadata.js';
import { unpaced } from '../values/pace.js';
import { applyUpdate, applyUpsert } from './apply-update.js';
import { collectionForWrite, refuseView } from './collections.js';
import { type Command, collectionName, type Operation, write } from './operation.js';
import { documentOf, queryOf } from './query-options.js';
import { updateOf } from './statements.js';

type Shape = (document: Document | null) => Document | null;

function shapeOf(operation: Operation, filter: Document): Shape {
  const projection = documentOf(operation.body, 'fields');
  if (Object.keys(projection).length === 0) return (document) => document;
  if (asksMetadata(projection))
    fail('BadValue', 'Cannot use a $meta sortKey projection in findAndModify commands.');
  // The new document need not match the query any more.
  if (operation.body['new'] === true && Object.keys(projection).some((path) => path.endsWith('.$')))
    fail('BadValue', 'cannot use a positional projection and return the new document');
  const project = compileProjection(projection, { filter });
  return (document) => (document === null ? null : project(document));
}

function findOne(operation: Operation, view: Writable, name: string): Found | undefined {
  const collection = view.catalog.get(operation.db, name);
  if (collection === undefined) return undefined;
  refuseView(collection);
  const { columns } = operation.engine;
  const query = { ...queryOf(operation, 'query', collection), limit: 1, columns };
  for (const found of unpaced(runQuery(view, collection, query, operation.meter))) return found;
  return undefined;
}

function removeOne(operation: Operation, view: Writable, name: string, shape: Shape): Document {
  const found = findOne(operation, view, name);
  if (found === undefined) return { lastErrorObject: { n: 0 }, value: null, ok: 1 };
  const old = storedRecord(found);
  deleteRecord(view, collectionForWrite(view, operation.db, name), old);
  return { lastErrorObject: { n: 1 }, value: shape(old.document), ok: 1 };
}

/** The requested change to the document, ready to be applied. Throws MongoDB's code for a malformed update. */
export function updateAsked(body: Document, { filter, collation, variables }: Query): CompiledUpdate {
  if (body['upsert'] === true) refuseConditions(filter, NOT_IN_UPSERTS);
  return compileStatement(updateOf(body['update']), {
    filter,
    arrayFilters: body['arrayFilters'],
    collation,
    variables,
  });
}

function updateOne(operation: Operation, view: Writable, name: string, shape: Shape): Document {
  const { body, db } = operation;
  const query = queryOf(operation, 'query', view.catalog.get(db, name));
  const update = updateAsked(body, query);
  const validates = body['bypassDocumentValidation'] !== true;
  const found = findOne(operation, view, name);
  if (found !== undefined) {
    const collection = collectionForWrite(view, db, name);
    const { before, after } = applyUpdate(view, collection, found, { update, validates });
    return {
      lastErrorObject: { n: 1, updatedExisting: true },
      value: shape(body['new'] === true ? after : before),
      ok: 1,
    };
  }
  if (body['upsert'] !== true)
    return { lastErrorObject: { n: 0, updatedExisting: false }, value: null, ok: 1 };
  const { document } = applyUpsert(view, collectionForWrite(view, db, name), update, validates);
  return {
    lastErrorObject: { n: 1, updatedExisting: false, upserted: document['_id'] },
    value: body['new'] === true ? shape(document) : null,
    ok: 1,
  };
}

/** Fields that have no meaning when the document is removed. */
const NOT_BESIDE_REMOVE: Readonly<Record<string, string>> = {
  update: 'Cannot specify both an update and remove=true',
  upsert: 'Cannot specify both upsert=true and remove=true',
  new: "Cannot specify both new=true and remove=true; 'remove' always returns the deleted document",
  arrayFilters: 'Cannot specify arrayFilters and remove=true',
};

/** Throws FailedToParse if the body requests no change, or a combination that is not allowed. */
export function checkAsked(body: Document): void {
  if (body['remove'] !== true) {
    if (body['update'] === undefined)
      fail('FailedToParse', 'Either an update or remove=true must be specified');
    return;
  }
  for (const [name, message] of Object.entries(NOT_BESIDE_REMOVE)) {
    if (body[name] !== undefined && body[name] !== false) fail('FailedToParse', message);
  }
}

export const findAndModify: Command = async (operation) => {
  const { body } = operation;
  const name = collectionName(operation);
  const removes = body['remove'] === true;
  checkAsked(body);
  const shape = shapeOf(operation, documentOf(body, 'query'));
  return write(operation, (view) =>
    removes ? removeOne(operation, view, name, shape) : updateOne(operation, view, name, shape),
  );
};

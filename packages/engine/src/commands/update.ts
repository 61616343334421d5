import type { Document } from 'bson';
import { fail } from '../errors.js';
import { compileFilter } from '../matching/index.js';
import { applyUpdate, applyUpsert, findForWrite } from './apply-update.js';
import { collectionForWrite } from './collections.js';
import { type Command, collectionName, write } from './operation.js';
import { collationOf } from './query-options.js';
import { compiledUpdate, type UpdateStatement, updatesOf, type Writing } from './statements.js';
import { runStatements, withErrors } from './write-errors.js';

const isReplacement = (u: Document | Document[]): boolean =>
  !Array.isArray(u) && !(Object.keys(u)[0] ?? '').startsWith('$');

/** The result of one statement of an update. */
interface UpdateResult {
  readonly n: number;
  readonly nModified: number;
  /** The document that an upsert inserted. */
  readonly upserted?: { readonly _id: unknown };
}

/** Runs one statement. */
export function updateStatement(
  { view, db, name, meter, columns, variables: shared, validates }: Writing,
  statement: UpdateStatement,
): UpdateResult {
  const { filter, update: u, multi, upsert, given } = statement;
  if (multi && isReplacement(u))
    fail('FailedToParse', 'multi update is not supported for replacement-style update');
  const variables = (given['c'] ?? shared) as Document | undefined;
  if (view.catalog.get(db, name) === undefined && !upsert) {
    const collation = collationOf(given, undefined);
    compileFilter(filter, { collation, variables });
    compiledUpdate(statement, collation, variables);
    return { n: 0, nModified: 0 };
  }
  let collection = collectionForWrite(view, db, name);
  const collation = collationOf(given, collection);
  const compiled = compiledUpdate(statement, collation, variables);
  const limit = multi ? undefined : 1;
  const query = {
    filter,
    collation,
    variables,
    hint: given['hint'],
    limit,
    columns,
    shortcuts: meter.shortcuts,
  };
  const found = findForWrite(view, collection, query, meter);
  let nModified = 0;
  for (const record of found) {
    const result = applyUpdate(view, collection, record, { update: compiled, validates });
    collection = result.collection;
    if (result.changed) nModified += 1;
  }
  if (found.length > 0 || !upsert) return { n: found.length, nModified };
  const { document } = applyUpsert(view, collection, compiled, validates);
  return { n: 1, nModified: 0, upserted: { _id: document['_id'] } };
}

export const update: Command = async (operation) => {
  const { body, db, meter, engine } = operation;
  const name = collectionName(operation);
  const statements = updatesOf(operation);
  const validates = body['bypassDocumentValidation'] !== true;
  return write(operation, (view) => {
    let n = 0;
    let nModified = 0;
    const upserted: Document[] = [];
    const variables = body['let'] as Document | undefined;
    const writing = { view, db, name, meter, columns: engine.columns, validates, variables };
    const errors = runStatements(operation, statements.length, (index) => {
      // The changes of a statement that fails remain, but are not counted.
      const done = updateStatement(writing, statements[index] as UpdateStatement);
      n += done.n;
      nModified += done.nModified;
      if (done.upserted !== undefined) upserted.push({ index, ...done.upserted });
    });
    return withErrors({ n, nModified, ...(upserted.length > 0 ? { upserted } : {}) }, errors);
  });
};

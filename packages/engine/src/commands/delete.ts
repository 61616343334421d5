import type { Document } from 'bson';
import { compileFilter } from '../matching/index.js';
import { deleteRecord, storedRecord } from '../records/records.js';
import { findForWrite } from './apply-update.js';
import { type Command, collectionName, write } from './operation.js';
import { collationOf } from './query-options.js';
import { type DeleteStatement, deletesOf, type Writing } from './statements.js';
import { runStatements, withErrors } from './write-errors.js';

/** Runs one statement. Returns how many documents it removed; none are counted for a statement that fails. */
export function deleteStatement(
  { view, db, name, meter, columns, variables }: Writing,
  { filter, limit, given }: DeleteStatement,
): number {
  const collection = view.catalog.get(db, name);
  const collation = collationOf(given, collection);
  if (collection === undefined) {
    compileFilter(filter, { collation, variables });
    return 0;
  }
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
  for (const record of found) deleteRecord(view, collection, storedRecord(record));
  return found.length;
}

export const remove: Command = async (operation) => {
  const { body, db, meter, engine } = operation;
  const name = collectionName(operation);
  const statements = deletesOf(operation);
  return write(operation, (view) => {
    let n = 0;
    const variables = body['let'] as Document | undefined;
    const writing = { view, db, name, meter, columns: engine.columns, variables, validates: false };
    const errors = runStatements(operation, statements.length, (index) => {
      n += deleteStatement(writing, statements[index] as DeleteStatement);
    });
    return withErrors({ n }, errors);
  });
};

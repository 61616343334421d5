import type { Document } from 'bson';
import { compileFilter } from '../matching/index.js';
import { deleteRecord, storedRecord } from '../records/records.js';
import { findForWrite } from './apply-update.js';
import { type Command, collectionName, write } from './operation.js';
import { collationOf } from './query-options.js';
import { type DeleteStatement, deletesOf } from './statements.js';
import { runStatements, withErrors } from './write-errors.js';

export const remove: Command = async (operation) => {
  const { body, db, meter } = operation;
  const name = collectionName(operation);
  const statements = deletesOf(operation);
  return write(operation, (view) => {
    let n = 0;
    const errors = runStatements(statements.length, body['ordered'] !== false, (index) => {
      const { filter, limit, given } = statements[index] as DeleteStatement;
      const collection = view.catalog.get(db, name);
      const collation = collationOf(given, collection);
      const variables = body['let'] as Document | undefined;
      if (collection === undefined) {
        compileFilter(filter, { collation, variables });
        return;
      }
      const query = { filter, collation, variables, hint: given['hint'], limit };
      for (const found of findForWrite(view, collection, query, meter)) {
        deleteRecord(view, collection, storedRecord(found));
        n += 1;
      }
    });
    return withErrors({ n }, errors);
  });
};

import type { Document } from 'bson';
import { compileFilter } from '../matching/index.js';
import { deleteRecord, storedRecord } from '../records/records.js';
import { findForWrite } from './apply-update.js';
import { refuseView } from './collections.js';
import { type Command, collectionName, write } from './operation.js';
import { collationOf, documentOf } from './query-options.js';
import { statementsOf } from './update.js';
import { runStatements, withErrors } from './write-errors.js';

export const remove: Command = async (operation) => {
  const { body, db, meter } = operation;
  const name = collectionName(operation);
  const statements = statementsOf(operation, 'deletes');
  return write(operation, (view) => {
    let n = 0;
    const errors = runStatements(statements.length, body['ordered'] !== false, (index) => {
      const statement = statements[index] as Document;
      const filter = documentOf(statement, 'q');
      const collection = view.catalog.get(db, name);
      const collation = collationOf(statement, collection);
      const variables = body['let'] as Document | undefined;
      if (collection === undefined) {
        compileFilter(filter, { collation, variables });
        return;
      }
      refuseView(collection);
      const limit = Number(statement['limit'] ?? 0) === 1 ? 1 : undefined;
      const query = { filter, collation, variables, hint: statement['hint'], limit };
      for (const found of findForWrite(view, collection, query, meter)) {
        deleteRecord(view, collection, storedRecord(found));
        n += 1;
      }
    });
    return withErrors({ n }, errors);
  });
};

import type { Document } from 'bson';
import { fail } from '../errors.js';
import { compileFilter } from '../matching/index.js';
import { applyUpdate, applyUpsert, findForWrite } from './apply-update.js';
import { collectionForWrite } from './collections.js';
import { type Command, collectionName, write } from './operation.js';
import { collationOf } from './query-options.js';
import { compiledUpdate, type UpdateStatement, updatesOf } from './statements.js';
import { runStatements, withErrors } from './write-errors.js';

const isReplacement = (u: Document | Document[]): boolean =>
  !Array.isArray(u) && !(Object.keys(u)[0] ?? '').startsWith('$');

export const update: Command = async (operation) => {
  const { body, db, meter } = operation;
  const name = collectionName(operation);
  const statements = updatesOf(operation);
  const validates = body['bypassDocumentValidation'] !== true;
  return write(operation, (view) => {
    let n = 0;
    let nModified = 0;
    const upserted: Document[] = [];
    const errors = runStatements(statements.length, body['ordered'] !== false, (index) => {
      const statement = statements[index] as UpdateStatement;
      const { filter, update: u, multi, upsert, given } = statement;
      if (multi && isReplacement(u))
        fail('FailedToParse', 'multi update is not supported for replacement-style update');
      const variables = (given['c'] ?? body['let']) as Document | undefined;
      const known = view.catalog.get(db, name);
      if (known === undefined && !upsert) {
        const collation = collationOf(given, undefined);
        compileFilter(filter, { collation, variables });
        compiledUpdate(statement, collation, variables);
        return;
      }
      let collection = collectionForWrite(view, db, name);
      const collation = collationOf(given, collection);
      const compiled = compiledUpdate(statement, collation, variables);
      const query = {
        filter,
        collation,
        variables,
        hint: given['hint'],
        limit: multi ? undefined : 1,
      };
      const found = findForWrite(view, collection, query, meter);
      let changed = 0;
      for (const record of found) {
        const result = applyUpdate(view, collection, record, compiled, validates);
        collection = result.collection;
        if (result.changed) changed += 1;
      }
      // What a failed statement had changed stays, but is not counted.
      n += found.length;
      nModified += changed;
      if (found.length === 0 && upsert) {
        const { document } = applyUpsert(view, collection, compiled, validates);
        n += 1;
        upserted.push({ index, _id: document['_id'] });
      }
    });
    return withErrors({ n, nModified, ...(upserted.length > 0 ? { upserted } : {}) }, errors);
  });
};

import type { Document } from 'bson';
import { fail } from '../errors.js';
import { compileStatement } from '../update/index.js';
import { decodeDocument, isDocument } from '../values/index.js';
import { applyUpdate, applyUpsert, findForWrite } from './apply-update.js';
import { collectionForWrite } from './collections.js';
import { type Command, collectionName, type Operation, write } from './operation.js';
import { collationOf, documentOf } from './query-options.js';
import { runStatements, withErrors } from './write-errors.js';

/** The statements of an update or delete command. */
export function statementsOf({ body, sequences }: Operation, member: string): readonly Document[] {
  const given =
    (body[member] as Document[] | undefined) ?? sequences.get(member)?.map((bytes) => decodeDocument(bytes));
  if (!Array.isArray(given) || given.length === 0) {
    return fail(
      'InvalidLength',
      `Write batch sizes must be between 1 and 100000. Got ${given?.length ?? 0} operations.`,
    );
  }
  return given;
}

/** The `u` of a statement: a document or a pipeline. Throws FailedToParse. */
export function updateOf(u: unknown): Document | Document[] {
  if (isDocument(u) || (Array.isArray(u) && u.every(isDocument))) return u as Document | Document[];
  return fail('FailedToParse', 'Update argument must be either an object or an array');
}

const isReplacement = (u: Document | Document[]): boolean =>
  !Array.isArray(u) && !(Object.keys(u)[0] ?? '').startsWith('$');

export const update: Command = async (operation) => {
  const { body, db, meter } = operation;
  const name = collectionName(operation);
  const statements = statementsOf(operation, 'updates');
  const validates = body['bypassDocumentValidation'] !== true;
  return write(operation, (view) => {
    let n = 0;
    let nModified = 0;
    const upserted: Document[] = [];
    const errors = runStatements(statements.length, body['ordered'] !== false, (index) => {
      const statement = statements[index] as Document;
      const filter = documentOf(statement, 'q');
      const multi = statement['multi'] === true;
      const u = updateOf(statement['u']);
      if (multi && isReplacement(u))
        fail('FailedToParse', 'multi update is not supported for replacement-style update');
      const known = view.catalog.get(db, name);
      if (known === undefined && statement['upsert'] !== true) {
        compileStatement(u, { filter });
        return;
      }
      let collection = collectionForWrite(view, db, name);
      const collation = collationOf(statement, collection);
      const variables = (statement['c'] ?? body['let']) as Document | undefined;
      const compiled = compileStatement(u, {
        filter,
        arrayFilters: statement['arrayFilters'],
        collation,
        variables,
      });
      const query = {
        filter,
        collation,
        variables,
        hint: statement['hint'],
        sort: statement['sort'],
        limit: multi ? undefined : 1,
      };
      const found = findForWrite(view, collection, query, meter);
      for (const record of found) {
        const result = applyUpdate(view, collection, record, compiled, validates);
        collection = result.collection;
        n += 1;
        if (result.changed) nModified += 1;
      }
      if (found.length === 0 && statement['upsert'] === true) {
        const { document } = applyUpsert(view, collection, compiled, validates);
        n += 1;
        upserted.push({ index, _id: document['_id'] });
      }
    });
    return withErrors({ n, nModified, ...(upserted.length > 0 ? { upserted } : {}) }, errors);
  });
};

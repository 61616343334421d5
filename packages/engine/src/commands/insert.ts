import { insertRecord, prepareDocument } from '../records/records.js';
import { trimCapped } from './capped.js';
import { collectionForWrite } from './collections.js';
import { type Command, collectionName, write } from './operation.js';
import { documentsOf } from './statements.js';
import { validateDocument } from './validate-document.js';
import { runStatements, withErrors } from './write-errors.js';

function canBeStored(bytes: Buffer): boolean {
  try {
    prepareDocument(bytes);
    return true;
  } catch {
    return false;
  }
}

export const insert: Command = async (operation) => {
  const { body, db } = operation;
  const name = collectionName(operation);
  const documents = documentsOf(operation);
  return write(operation, (view) => {
    const isThere = view.catalog.get(db, name) !== undefined;
    // If no document can be stored, no collection is created.
    const tried = body['ordered'] === false ? documents : documents.slice(0, 1);
    if (!isThere && !tried.some(canBeStored))
      return withErrors(
        { n: 0 },
        runStatements(operation, documents.length, (index) => {
          prepareDocument(documents[index] as Buffer);
        }),
      );
    let collection = collectionForWrite(view, db, name);
    let n = 0;
    const errors = runStatements(operation, documents.length, (index) => {
      const { bytes, document } = prepareDocument(documents[index] as Buffer);
      if (body['bypassDocumentValidation'] !== true) validateDocument(collection, document);
      ({ collection } = insertRecord(view, collection, bytes, document));
      n += 1;
    });
    trimCapped(view, collection);
    return withErrors({ n }, errors);
  });
};

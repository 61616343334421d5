import type { Document } from 'bson';
import { fail } from '../errors.js';
import { insertRecord, prepareDocument } from '../records/records.js';
import { encodeDocument } from '../storage/encode.js';
import { trimCapped } from './capped.js';
import { collectionForWrite } from './collections.js';
import { type Command, collectionName, type Operation, write } from './operation.js';
import { validateDocument } from './validate-document.js';
import { runStatements, withErrors } from './write-errors.js';

const MOST = 100_000;

function documentsOf({ body, sequences }: Operation): readonly Buffer[] {
  const given =
    sequences.get('documents') ?? (body['documents'] as Document[] | undefined)?.map(encodeDocument);
  if (given === undefined || given.length === 0 || given.length > MOST) {
    return fail(
      'InvalidLength',
      `Write batch sizes must be between 1 and ${MOST}. Got ${given?.length ?? 0} operations.`,
    );
  }
  return given;
}

export const insert: Command = async (operation) => {
  const { body, db } = operation;
  const name = collectionName(operation);
  const documents = documentsOf(operation);
  return write(operation, (view) => {
    let collection = collectionForWrite(view, db, name);
    let n = 0;
    const errors = runStatements(documents.length, body['ordered'] !== false, (index) => {
      const { bytes, document } = prepareDocument(documents[index] as Buffer);
      if (body['bypassDocumentValidation'] !== true) validateDocument(collection, document);
      ({ collection } = insertRecord(view, collection, bytes, document));
      n += 1;
    });
    trimCapped(view, collection);
    return withErrors({ n }, errors);
  });
};

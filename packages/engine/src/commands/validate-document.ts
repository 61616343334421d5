import type { Document } from 'bson';
import { EngineError, isRefusal } from '../errors.js';
import { explainFailure } from '../matching/filter-failures.js';
import { compileFilter } from '../matching/index.js';
import type { FilterOptions } from '../matching/options.js';
import { storedCollation } from '../options/collation.js';
import type { CollectionMeta } from '../storage/catalog.js';

const compiled = new WeakMap<CollectionMeta, ((document: Document) => boolean) | null>();

/** Validators compare strings as the collection does; JSON schemas inside them do not. */
const collated = ({ options }: CollectionMeta): FilterOptions => ({
  collation: storedCollation(options['collation']),
});

function validatorOf(collection: CollectionMeta): ((document: Document) => boolean) | null {
  let test = compiled.get(collection);
  if (test === undefined) {
    const { validator, validationLevel, validationAction } = collection.options;
    const off = validator === undefined || validationLevel === 'off' || validationAction === 'warn';
    test = off || Object.keys(validator).length === 0 ? null : compileFilter(validator, collated(collection));
    compiled.set(collection, test);
  }
  return test;
}

/** Whether a document passes; one for which the validator fails does not. */
function passes(test: (document: Document) => boolean, document: Document): boolean {
  try {
    return test(document);
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
}

/** Which conditions a document violates; nothing if they cannot be evaluated one by one. */
function detailsOf(collection: CollectionMeta, document: Document): Document {
  try {
    return explainFailure(collection.options['validator'], document, collated(collection));
  } catch (error) {
    if (isRefusal(error)) return {};
    throw error;
  }
}

/**
 * Checks a document with the collection's validator. With `before` (an update) and level `moderate`, a document that was invalid
 * before may remain so. Throws DocumentValidationFailure.
 */
export function validateDocument(collection: CollectionMeta, document: Document, before?: Document): void {
  const test = validatorOf(collection);
  if (test === null || passes(test, document)) return;
  const isModerate = before !== undefined && collection.options['validationLevel'] === 'moderate';
  if (isModerate && !passes(test, before)) return;
  throw new EngineError('DocumentValidationFailure', 'Document failed validation', {
    errInfo: {
      failingDocumentId: document['_id'],
      details: detailsOf(collection, document),
    },
  });
}

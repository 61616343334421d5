import type { Document } from 'bson';
import { fail } from '../errors.js';
import { runQuery } from '../planner/run-query.js';
import type { Found } from '../planner/scan.js';
import type { Batch } from '../storage/batch.js';
import { encodeDocument } from '../storage/encode.js';
import { insertRecord, prepareDocument, updateRecord } from '../storage/records.js';
import { storedRecord } from './apply-update.js';
import { collectionForWrite } from './collections.js';
import type { Operation } from './operation.js';
import { compileUpdate } from './pure.js';

/** The options of `$merge`. */
export interface MergeOptions {
  readonly on: readonly string[];
  readonly whenMatched: string | Document[];
  readonly whenNotMatched: string;
  readonly variables: Document | undefined;
}

function matchedUpdate(options: MergeOptions, incoming: Document, current: Document): Document | undefined {
  const { whenMatched, on } = options;
  if (Array.isArray(whenMatched)) {
    const variables = { new: incoming, ...options.variables };
    return compileUpdate(whenMatched, { filter: {}, variables }).apply(current);
  }
  switch (whenMatched) {
    case 'merge':
      return { ...current, ...incoming, _id: current['_id'] };
    case 'replace':
      return { ...incoming, _id: current['_id'] };
    case 'keepExisting':
      return undefined;
    case 'fail':
      return fail(
        'DuplicateKey',
        `$merge could not find a matching document in the target collection for on fields ${on.join()}`,
      );
    default:
      return fail(
        'BadValue',
        `Enumeration value '${whenMatched}' for field '$merge.whenMatched' is not a valid value.`,
      );
  }
}

/** `$merge`: brings each document into the target, by the fields that identify it. */
export function mergeInto(
  batch: Batch,
  target: { readonly db: string; readonly name: string },
  documents: readonly Document[],
  options: MergeOptions,
  operation: Operation,
): void {
  let collection = collectionForWrite(batch, target.db, target.name);
  for (const incoming of documents) {
    const filter = Object.fromEntries(options.on.map((path) => [path, incoming[path] ?? null]));
    const found: Found | undefined = [
      ...runQuery(batch, collection, { filter, limit: 1 }, operation.meter),
    ][0];
    if (found === undefined) {
      if (options.whenNotMatched === 'fail')
        fail(13113, '$merge could not find a matching document in the target collection');
      if (options.whenNotMatched === 'discard') continue;
      const { bytes, document } = prepareDocument(encodeDocument(incoming));
      ({ collection } = insertRecord(batch, collection, bytes, document));
      continue;
    }
    const old = storedRecord(found);
    const after = matchedUpdate(options, incoming, old.document);
    if (after !== undefined) ({ collection } = updateRecord(batch, collection, old, after, false));
  }
}

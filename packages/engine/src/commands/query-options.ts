import type { Document } from 'bson';
import { fail } from '../errors.js';
import { readCollation, storedCollation } from '../options/collation.js';
import { compileFields } from '../options/read-fields.js';
import type { Query } from '../planner/plan.js';
import type { CollectionMeta } from '../storage/catalog.js';
import { type Collation, compareValues, compileSort } from '../values/index.js';
import { toDouble } from '../values/numbers.js';

const NO_FIELDS: Document = {};

/** A document argument that the command's declaration has checked; an empty document if absent. */
export const documentOf = (body: Document, name: string): Document =>
  (body[name] as Document | undefined) ?? NO_FIELDS;

const readCursor = compileFields({ batchSize: { type: 'long', min: 0 } }, { context: 'cursor' });

/** The batch size of a command's `cursor`. Throws TypeMismatch, 51024 or 40415. */
export const batchSizeOf = (body: Document): number | undefined =>
  readCursor(documentOf(body, 'cursor'))['batchSize'];

/** The collation of a command or a statement, or the collection's own. Throws if it is unusable. */
export function collationOf(body: Document, collection: CollectionMeta | undefined): Collation | undefined {
  const own = body['collation'] as Document | undefined;
  const kept = storedCollation(collection?.options['collation']);
  if (own === undefined || Object.keys(own).length === 0) return kept;
  const asked = readCollation(own);
  if (collection?.options['viewOn'] !== undefined && storedCollation(own) !== kept) {
    fail('OptionNotSupportedOnView', `Cannot override a view's default collation: ${collection.name}`);
  }
  return asked;
}

/** The index that a command names; none for an empty document. */
export const hintOf = (hint: string | Document | undefined): string | Document | undefined =>
  typeof hint === 'object' && Object.keys(hint).length === 0 ? undefined : hint;

function checkNatural(sort: Document | undefined, hint: string | Document | undefined): void {
  if (typeof hint === 'object' && '$natural' in hint && Object.keys(hint).length > 1)
    fail('BadValue', "Cannot include '$natural' in compound hint");
  const natural = sort?.['$natural'];
  if (sort === undefined || natural === undefined) return;
  if (Object.keys(sort).length > 1) fail('BadValue', "Cannot include '$natural' in compound sort");
  const direction = toDouble(natural);
  if (Math.abs(direction) !== 1)
    fail('BadValue', '$natural sort cannot be set to a value other than -1 or 1.');
  if (hint !== undefined && !(typeof hint === 'object' && '$natural' in hint)) {
    fail('BadValue', "Cannot use a 'hint' in addition to a '$natural' sort.");
  }
}

const nonEmpty = (document: Document): Document | undefined =>
  Object.keys(document).length > 0 ? document : undefined;

/** The query of find and count. */
export function queryOf(
  { body, meter }: { readonly body: Document; readonly meter: Pick<Query, 'shortcuts'> },
  filterName: string,
  collection: CollectionMeta | undefined,
): Query {
  const limit = Math.abs(body['limit'] ?? 0);
  const sort = nonEmpty(documentOf(body, 'sort'));
  const hint = hintOf(body['hint']);
  checkNatural(sort, hint);
  if (sort !== undefined && !('$natural' in sort)) compileSort(sort, compareValues);
  return {
    shortcuts: meter.shortcuts,
    filter: documentOf(body, filterName),
    sort,
    skip: body['skip'] as number | undefined,
    limit: limit > 0 ? limit : undefined,
    collation: collationOf(body, collection),
    hint,
    variables: body['let'] as Document | undefined,
    min: nonEmpty(documentOf(body, 'min')),
    max: nonEmpty(documentOf(body, 'max')),
  };
}

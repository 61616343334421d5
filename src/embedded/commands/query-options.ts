import type { Document } from 'bson';
import { fail } from '../errors.js';
import type { Query } from '../planner/plan.js';
import type { CollectionMeta } from '../storage/catalog.js';
import type { Collation } from '../values/index.js';
import { isDocument } from '../values/index.js';

/** A whole number of a command, or undefined where it is absent. Throws BadValue. */
export function wholeNumber(body: Document, name: string): number | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  const number = Number(value);
  if (!Number.isFinite(number) || number < 0) {
    return fail(51024, `BSON field '${name}' value must be >= 0, actual value '${String(value)}'`);
  }
  return Math.trunc(number);
}

/** A document of a command; an empty one where it is absent. Throws TypeMismatch. */
export function documentOf(body: Document, name: string, label = name): Document {
  const value = body[name];
  if (value === undefined || value === null) return {};
  if (!isDocument(value)) {
    return fail(
      'TypeMismatch',
      `BSON field '${label}' is the wrong type '${typeof value}', expected type 'object'`,
    );
  }
  return value;
}

/** The collation of a command, or the collection's own. */
export function collationOf(body: Document, collection: CollectionMeta | undefined): Collation | undefined {
  const own = body['collation'] as Collation | undefined;
  return own ?? (collection?.options['collation'] as Collation | undefined);
}

const nonEmpty = (document: Document): Document | undefined =>
  Object.keys(document).length > 0 ? document : undefined;

/** The query of find and count. */
export function queryOf(body: Document, filterName: string, collection: CollectionMeta | undefined): Query {
  const limit = Math.abs(Number(body['limit'] ?? 0));
  return {
    filter: documentOf(body, filterName),
    sort: nonEmpty(documentOf(body, 'sort')),
    skip: wholeNumber(body, 'skip'),
    limit: limit > 0 ? limit : undefined,
    collation: collationOf(body, collection),
    hint: body['hint'] as string | Document | undefined,
    variables: body['let'] as Document | undefined,
  };
}

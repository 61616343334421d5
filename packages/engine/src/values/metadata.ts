import type { Document, Long } from 'bson';
import { isDocument } from './types.js';

/** What `$meta` can return about a document besides its fields. */
interface Metadata {
  /** The values that it was sorted by. */
  readonly sortKey?: readonly unknown[];
  /** The index key by which it was found. */
  readonly indexKey?: Document;
  /** Its record number in the collection. */
  readonly recordId?: Long;
}

/** A symbol is not a field of a document: it is neither stored nor compared, and copies by spread keep it. */
const NOTE: unique symbol = Symbol('metadata');

type Noted = Document & { [NOTE]?: Metadata };

/** The metadata of a document. */
export const metadataOf = (document: Document): Metadata | undefined => (document as Noted)[NOTE];

/** A copy of a document with more metadata. */
export const withMetadata = (document: Document, more: Metadata): Document => ({
  ...document,
  [NOTE]: { ...metadataOf(document), ...more },
});

/** Copies the metadata of a document to one that was made from it. */
export function carryMetadata(from: Document, to: Document): void {
  const known = metadataOf(from);
  if (known !== undefined) (to as Noted)[NOTE] = known;
}

/** Whether `$meta` occurs anywhere in a pipeline or projection. */
export function asksMetadata(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(asksMetadata);
  if (!isDocument(value)) return false;
  for (const name in value) if (name === '$meta' || asksMetadata(value[name])) return true;
  return false;
}

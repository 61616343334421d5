import type { Document } from 'bson';
import type { Collation } from '../values/collation.js';
import type { Flow } from '../values/pace.js';
import type { Shortcuts } from '../values/shortcuts.js';

/** A query of a pipeline to a collection. The result must contain exactly the documents that match the filter. */
export interface FindRequest {
  readonly filter: Document;
  readonly sort?: Document | undefined;
  readonly skip?: number | undefined;
  readonly limit?: number | undefined;
  /** The only top-level fields that are needed; all of them if absent. This is a hint: more may be returned. */
  readonly fields?: ReadonlySet<string> | undefined;
}

/** Documents of a stage that only the server can produce, such as `$collStats`; undefined if it does not know the stage. */
type MakeDocuments = (stage: string, operand: unknown) => Iterable<Document> | undefined;

/** A collection as seen by pipelines. */
export interface CollectionAccess {
  readonly source?: MakeDocuments;
  find(request: FindRequest): Flow<Document>;
  /** For `$out`: replaces the content of the collection with these documents. */
  replaceAll?(documents: readonly Document[]): void;
  /** For `$merge`: adds documents. Throws DuplicateKey. */
  insertMany?(documents: readonly Document[]): void;
  /** For `$merge`: whether a unique index guarantees that no two documents have the same values in these fields. */
  isUniqueOn?(fields: readonly string[]): boolean;
  /** For `$merge`: replaces the document with this _id. */
  replaceOne?(id: unknown, document: Document): void;
}

/** Where a collection is, and where it is read. */
interface CollectionPlace {
  readonly database?: string | undefined;
  /** How deep the pipeline that reads it is nested in others. */
  readonly depth?: number | undefined;
}

/** The environment that a pipeline runs in. */
export interface AggregationContext {
  readonly shortcuts: Shortcuts;
  /** A collection of the pipeline's database, or of another one. A missing collection is empty. */
  collection(name: string, place?: CollectionPlace): CollectionAccess;
  readonly source?: MakeDocuments;
  /** How deep the pipeline is nested in others, by views. */
  readonly depth?: number | undefined;
  readonly collation?: Collation | undefined;
  /** The values of the command's `let`. */
  readonly variables?: Document | undefined;
  readonly now?: Date | undefined;
  /** Whether each document of the pipeline is a row of the response, whose size is limited. */
  readonly answers?: boolean | undefined;
}

import type { Document } from 'bson';
import type { Collation } from '../values/collation.js';
import type { Flow } from '../values/pace.js';

/** What a pipeline asks of a collection. The answer must hold exactly the documents that the filter matches. */
export interface FindRequest {
  readonly filter: Document;
  readonly sort?: Document | undefined;
  readonly skip?: number | undefined;
  readonly limit?: number | undefined;
  /** The only top-level members that are needed; all of them where this is absent. A hint: more may come. */
  readonly fields?: ReadonlySet<string> | undefined;
}

/** Documents of a stage that only the server can answer, such as `$collStats`; undefined if it knows no such stage. */
type MakeDocuments = (stage: string, operand: unknown) => Iterable<Document> | undefined;

/** A collection as pipelines see it. */
export interface CollectionAccess {
  readonly source?: MakeDocuments;
  find(request: FindRequest): Flow<Document>;
  /** For `$out`: the collection holds these documents and no others. */
  replaceAll?(documents: readonly Document[]): void;
  /** For `$merge`: adds documents. Throws DuplicateKey. */
  insertMany?(documents: readonly Document[]): void;
  /** For `$merge`: whether no two documents have the same values of these fields, by a unique index. */
  isUniqueOn?(fields: readonly string[]): boolean;
  /** For `$merge`: replaces the document with this _id. */
  replaceOne?(id: unknown, document: Document): void;
}

/** What a pipeline runs in. */
export interface AggregationContext {
  /** A collection of the pipeline's database, or of another one. A missing collection is empty. */
  collection(name: string, database?: string): CollectionAccess;
  readonly source?: MakeDocuments;
  readonly collation?: Collation | undefined;
  /** The values of the command's `let`. */
  readonly variables?: Document | undefined;
  readonly now?: Date | undefined;
  /** Whether each document of the pipeline is a row of an answer, which has a limit. */
  readonly answers?: boolean | undefined;
}

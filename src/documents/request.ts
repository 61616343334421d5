import type { Asked, JsonAnswer, JsonOf, ListAnswer, OneAnswer } from './read/reader.js';

/** A request to the content API as a value, read from the connection once. */
export interface ContentRequest extends Omit<Asked, 'type'> {
  /** `data` of its body; undefined where there is none. */
  readonly data?: unknown;
}

/** What is done with the versions of a document as they are. */
export type VersionChange = 'publish' | 'unpublish' | 'discardDraft';

/** What a request may ask of a content type (rules A.1). Every method throws an `ApiError`, in Strapi's order (rules A.5). */
export interface RequestService {
  findMany(): Promise<ListAnswer>;
  findOne(documentId: string): Promise<OneAnswer>;
  /** The entry of a single type. */
  findFirst(): Promise<OneAnswer>;
  /** A read as JSON. */
  readJson(of: JsonOf): Promise<JsonAnswer>;
  count(): Promise<number>;
  create(): Promise<OneAnswer>;
  update(documentId: string): Promise<OneAnswer>;
  /** The document of a single type, which its first write makes. */
  updateSingle(): Promise<OneAnswer>;
  /** Nothing happens where `filters` do not match (rules A.1). */
  delete(documentId: string): Promise<void>;
  deleteSingle(): Promise<void>;
  /** Null: of the document of a single type. The answer is the version that the query asks for. */
  changeVersion(change: VersionChange, documentId: string | null): Promise<OneAnswer>;
}

import type { CloneParams, CreateParams, DocumentParams, ReadParams, UpdateParams } from './params.js';
import type { DocumentService } from './types.js';

interface Entries<Entry> {
  readonly documentId: string;
  readonly entries: readonly Partial<Entry>[];
}

/** The Document Service of a content type whose entries and input are known (`mangrove types`). `fields` may leave attributes out. */
export interface TypedService<Entry, Input> extends Pick<DocumentService, 'count'> {
  findMany(params?: ReadParams): Promise<Entry[]>;
  findFirst(params?: ReadParams): Promise<Entry | null>;
  findOne(params: DocumentParams): Promise<Entry | null>;
  create(params: CreateParams & { readonly data: Input }): Promise<Entry>;
  update(params: UpdateParams & { readonly data: Input }): Promise<Entry | null>;
  delete(params: DocumentParams): Promise<Entries<Entry>>;
  clone(params: CloneParams & { readonly data?: Input }): Promise<Entries<Entry>>;
  publish?(params: DocumentParams): Promise<Entries<Entry>>;
  unpublish?(params: DocumentParams): Promise<Entries<Entry>>;
  discardDraft?(params: DocumentParams): Promise<Entries<Entry>>;
}

import { errors } from '../errors.js';

/** Parameters of the Document Service (rules G.1). Methods ignore unknown parameters. */
export interface ReadParams {
  readonly fields?: unknown;
  readonly populate?: unknown;
  readonly filters?: unknown;
  readonly sort?: unknown;
  readonly status?: unknown;
  readonly locale?: unknown;
  readonly start?: unknown;
  readonly limit?: unknown;
  readonly _q?: unknown;
  readonly publicationFilter?: unknown;
  readonly [name: string]: unknown;
}

export interface DocumentParams extends ReadParams {
  readonly documentId: string;
}

export interface CreateParams extends ReadParams {
  readonly data: unknown;
}

export interface UpdateParams extends DocumentParams {
  readonly data: unknown;
}

export interface CloneParams extends DocumentParams {
  readonly data?: unknown;
}

/**
 * `params` with documentId as a string. Throws a 400 for anything but a string or number: an object would act
 * as a query.
 */
export function withDocumentId<P extends DocumentParams>(params: P): P {
  const documentId: unknown = params.documentId;
  if (typeof documentId === 'string') return params;
  if (typeof documentId === 'number') return { ...params, documentId: String(documentId) };
  throw errors.validation('document-id-not-a-string', 'documentId must be a string');
}

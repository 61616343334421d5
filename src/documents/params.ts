/** Parameters of the Document Service. Methods ignore unknown parameters. */
export interface ReadParams {
  readonly fields?: unknown;
  readonly populate?: unknown;
  readonly filters?: unknown;
  readonly sort?: unknown;
  readonly status?: unknown;
  readonly locale?: unknown;
  /** A time in the past, for types with `options.history`. */
  readonly at?: unknown;
  readonly start?: unknown;
  readonly limit?: unknown;
  readonly _q?: unknown;
  readonly publicationFilter?: unknown;
  readonly [name: string]: unknown;
}

export interface DocumentParams extends ReadParams {
  readonly documentId: string;
}

/** A version that was kept, of types with `options.history`. */
export interface VersionParams extends DocumentParams {
  readonly version: string;
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

/** What the query language needs to know of the configuration: one frozen value, made once for each mode. */

/** `rest`: strangers ask, by text. `service`: the project's own code asks, trusted (rules G.2). */
export type QueryMode = 'rest' | 'service';

/** Bounds that are checked before anything recurses. */
export interface QueryLimits {
  /** `qs`: longest list in array notation. */
  readonly arrayLimit: number;
  /** `qs`: bracket levels; deeper ones stay one literal key. */
  readonly depth: number;
  readonly parameterLimit: number;
  /** Levels of objects and arrays in all parameters together. */
  readonly maxDepth: number;
  /** Objects, arrays and values in all parameters together. */
  readonly maxNodes: number;
  /** Keys of one object, members of one array. */
  readonly maxBreadth: number;
  /** Levels of populate. */
  readonly maxPopulateDepth: number;
  /** Relations, media, components and zone items that one query populates or walks through. */
  readonly maxJoins: number;
}

export const defaultLimits: QueryLimits = Object.freeze({
  arrayLimit: 100,
  depth: 20,
  parameterLimit: 1000,
  maxDepth: 50,
  maxNodes: 10_000,
  maxBreadth: 1000,
  maxPopulateDepth: 20,
  maxJoins: 500,
});

export interface QuerySettings {
  readonly mode: QueryMode;
  readonly limits: QueryLimits;
  readonly defaultLimit: number;
  /** Null: none. */
  readonly maxLimit: number | null;
  readonly withCount: boolean;
  /** Unknown root parameters are refused (rules A.7). */
  readonly strictParams: boolean;
  /** Values of status, locale and pagination are held strictly (rules A.8, A.11). */
  readonly strictValues: boolean;
  readonly defaultLocale: string;
  /** Drafts may be read without a credential (rules 0.4, row 2). */
  readonly publicDrafts: boolean;
}

/** The parts of the configuration that `querySettings` reads; `Config` has them all. */
export interface QueryConfig {
  readonly rest: {
    readonly defaultLimit: number;
    readonly maxLimit: number | null;
    readonly withCount: boolean;
    readonly strictParams: boolean;
    readonly publicDrafts: boolean;
  };
  readonly documents: { readonly strictParams: boolean };
  readonly query: Partial<QueryLimits>;
  readonly plugins: { readonly i18n: { readonly defaultLocale: string } };
}

export function querySettings(config: QueryConfig, mode: QueryMode): QuerySettings {
  const { rest, documents, query, plugins } = config;
  return Object.freeze({
    mode,
    limits: Object.freeze({ ...defaultLimits, ...query }),
    defaultLimit: rest.defaultLimit,
    maxLimit: rest.maxLimit !== null && rest.maxLimit > 0 ? rest.maxLimit : null,
    withCount: rest.withCount,
    strictParams: mode === 'rest' ? rest.strictParams : documents.strictParams,
    strictValues: documents.strictParams,
    defaultLocale: plugins.i18n.defaultLocale,
    publicDrafts: rest.publicDrafts,
  });
}

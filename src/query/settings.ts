import type { Config } from '../config/types.js';
import type { Schema } from '../schema/types.js';
import type { Caller } from './read-plan.js';

/**
 * `rest`: queries of API clients, as text. `service`: queries of the project's own code, which is trusted.
 */
export type QueryMode = 'rest' | 'service';

/** Limits that are checked before anything recurses, and the number of joins in a plan. */
export type QueryLimits = Omit<Config['query'], 'maxRows' | 'maxBytes' | 'heavyReads'>;

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

/** The settings of the query language: one frozen value for each mode. */
export interface QuerySettings {
  readonly mode: QueryMode;
  readonly limits: QueryLimits;
  readonly defaultLimit: number;
  /** Null: no maximum. */
  readonly maxLimit: number | null;
  readonly withCount: boolean;
  /** Unknown root parameters are rejected. */
  readonly strictParams: boolean;
  /** Values of status, locale and pagination are checked strictly. */
  readonly strictValues: boolean;
  readonly defaultLocale: string;
  /** Drafts may be read without a credential. */
  readonly publicDrafts: boolean;
  /**
   * Whose `_q` it is. Strapi 4 had no documentIds. Strapi 3 compares its ids as a whole, has no numeric ones, and
   * takes `_` literally.
   */
  readonly searchAs: 'v3' | 'v4' | 'v5';
}

/** The parts of the configuration that `querySettings` reads; `Config` has them all. */
export interface QueryConfig {
  readonly rest: Pick<
    Config['rest'],
    'defaultLimit' | 'maxLimit' | 'withCount' | 'strictParams' | 'publicDrafts' | 'compat'
  >;
  readonly documents: Pick<Config['documents'], 'strictParams'>;
  readonly query: Partial<QueryLimits>;
  readonly plugins: { readonly i18n: Pick<Config['plugins']['i18n'], 'defaultLocale'> };
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
    searchAs: (mode === 'rest' && rest.compat) || 'v5',
  });
}

/** What every step needs besides the query: the schema, the caller and the settings. */
export interface QueryScope {
  readonly schema: Schema;
  readonly caller: Caller;
  readonly settings: QuerySettings;
}

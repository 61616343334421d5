const MB = 1024 * 1024;

/** The limits of an operation. Sizes are in bytes. */
export interface ResourceLimits {
  /** What a sort may keep without `allowDiskUse`. */
  readonly sortBytes: number;
  /** What a `$group` may keep without `allowDiskUse`, and a `$graphLookup` in any case. */
  readonly groupBytes: number;
  /** What one `$push` of a group may keep. */
  readonly pushBytes: number;
  /** What one `$addToSet` of a group may keep. */
  readonly addToSetBytes: number;
  /** What one expression, such as `$range` or `$reduce`, may build. */
  readonly expressionBytes: number;
  /** What `$lookup` may join to one document. */
  readonly lookupBytes: number;
  /** The document that `$facet` produces. */
  readonly facetBytes: number;
  /** The maximum nesting of pipelines in `$lookup`, `$unionWith` and `$facet`. */
  readonly pipelineDepth: number;
  /** The maximum number of stages in a pipeline. */
  readonly pipelineLength: number;
  /** The maximum number of statements or documents in a write command. */
  readonly writeBatch: number;
  /** The number of seconds after which a transaction is aborted. */
  readonly transactionSeconds: number;
  /** The log of changes, from which change streams resume. */
  readonly oplogBytes: number;
}

/** The settings of `setParameter` and `EngineOptions.limits`: MongoDB's names, what they limit, MongoDB's defaults; `oplogBytes` is our own. */
export const LIMIT_PARAMETERS: Readonly<
  Record<string, { readonly limit: keyof ResourceLimits; readonly by: number }>
> = {
  internalQueryMaxBlockingSortMemoryUsageBytes: { limit: 'sortBytes', by: 100 * MB },
  internalDocumentSourceGroupMaxMemoryBytes: { limit: 'groupBytes', by: 100 * MB },
  internalQueryMaxPushBytes: { limit: 'pushBytes', by: 100 * MB },
  internalQueryMaxAddToSetBytes: { limit: 'addToSetBytes', by: 100 * MB },
  internalQueryMaxRangeBytes: { limit: 'expressionBytes', by: 100 * MB },
  internalLookupStageIntermediateDocumentMaxSizeBytes: { limit: 'lookupBytes', by: 100 * MB },
  internalQueryFacetMaxOutputDocSizeBytes: { limit: 'facetBytes', by: 100 * MB },
  internalMaxSubPipelineViewDepth: { limit: 'pipelineDepth', by: 20 },
  internalPipelineLengthLimit: { limit: 'pipelineLength', by: 1000 },
  maxWriteBatchSize: { limit: 'writeBatch', by: 100_000 },
  transactionLifetimeLimitSeconds: { limit: 'transactionSeconds', by: 60 },
  oplogBytes: { limit: 'oplogBytes', by: 128 * MB },
};

/** MongoDB's defaults. */
export const DEFAULT_LIMITS: ResourceLimits = Object.fromEntries(
  Object.values(LIMIT_PARAMETERS).map(({ limit, by }) => [limit, by]),
) as unknown as ResourceLimits;

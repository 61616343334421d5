export type { AggregationContext, CollectionAccess, FindRequest } from './context.js';
export { pushDown } from './push-down.js';
export { compileCheck, runPipeline } from './run-pipeline.js';
export { readsFields } from './stages/derive-filter.js';

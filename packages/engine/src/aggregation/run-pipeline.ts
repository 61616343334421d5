import type { Document } from 'bson';
import { expressionScope } from '../expressions/compile-expression.js';
import type { Flow } from '../values/pace.js';
import { ALL_SHORTCUTS } from '../values/shortcuts.js';
import { compilePipeline } from './compile-pipeline.js';
import type { AggregationContext } from './context.js';
import { runStages } from './stage.js';

/** Checks the stages of a pipeline without running it. Throws MongoDB's code for the first invalid one. */
export function compileCheck(stages: readonly Document[]): void {
  const nothing = { find: () => [] };
  compilePipeline(stages, expressionScope({}), { collection: () => nothing, shortcuts: ALL_SHORTCUTS });
}

/**
 * Runs an aggregation pipeline over documents. The stages are checked and compiled immediately; the documents are produced one by
 * one as the result is read, as far as the stages allow. Source documents are never modified.
 * @throws EngineError with MongoDB's code
 */
export function runPipeline(
  source: Flow<Document>,
  stages: readonly Document[],
  context: AggregationContext,
): Flow<Document> {
  const { collation, variables, now } = context;
  return runStages(source, compilePipeline(stages, expressionScope({ collation, variables, now }), context));
}

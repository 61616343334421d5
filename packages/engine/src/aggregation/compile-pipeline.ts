import type { Document } from 'bson';
import { fail } from '../errors.js';
import type { Scope } from '../expressions/scope.js';
import { asksMetadata } from '../values/metadata.js';
import { currentWork } from '../values/work.js';
import { checkStages, stageNameOf } from './check-stages.js';
import type { AggregationContext, CollectionAccess } from './context.js';
import { keptLists } from './kept-lists.js';
import { optimize, SORTED_LIMIT } from './optimize.js';
import type { CompileStage, Stage, StageScope } from './stage.js';
import { stageRule } from './stage-rules.js';
import { bucket } from './stages/bucket.js';
import { COMBINE } from './stages/combine.js';
import { GROUP } from './stages/group.js';
import { lookup } from './stages/lookup.js';
import { match } from './stages/match.js';
import { ORDER, sort } from './stages/order.js';
import { SHAPE } from './stages/shape.js';
import { unwind } from './stages/unwind.js';
import { WRITE } from './stages/write.js';

const STAGES: Readonly<Record<string, CompileStage>> = {
  $match: match,
  $lookup: lookup,
  $unwind: unwind,
  $bucket: bucket,
  ...COMBINE,
  ...GROUP,
  ...ORDER,
  ...SHAPE,
  ...WRITE,
};

/** Every stage that is compiled; the documents of the others come from the server. */
export const STAGE_NAMES: readonly string[] = Object.keys(STAGES);

/** Rejects stages that write, and change streams, inside a pipeline of another stage. */
function refuseWrites(stages: readonly Document[], outer: string): void {
  const code = stageRule(outer).refusesWrites;
  const found = stages
    .flatMap((stage) => Object.keys(stage))
    .find((name) => stageRule(name).place === 'last' || name === '$changeStream');
  if (found !== undefined && code !== undefined)
    fail(code, `${found} is not allowed to be used within a ${outer} stage`);
}

function compileStage(stage: Document, within: StageScope): Stage {
  if (SORTED_LIMIT in stage) return sort(stage[SORTED_LIMIT], within, '$sort');
  const name = stageNameOf(stage);
  const { since = 0, missing } = stageRule(name);
  const unknown = (): never => fail(40324, `Unrecognized pipeline stage name: '${name}'`);
  if (currentWork().version < since) return unknown();
  if (missing) fail('NotImplemented', `${name} is not supported by this engine`);
  const compile = Object.hasOwn(STAGES, name) ? STAGES[name] : undefined;
  if (compile === undefined) {
    const made = (within.from ?? within.context).source?.(name, stage[name]) ?? unknown();
    return { run: () => made };
  }
  const pipeline: StageScope['pipeline'] = (inner, scope, from = within.from) => {
    refuseWrites(inner, name);
    return within.pipeline(inner, scope, from);
  };
  return compile(stage[name], { ...within, pipeline }, name);
}

/** A pipeline within another one. */
interface Nested {
  readonly depth: number;
  readonly from?: CollectionAccess | undefined;
}

/** Checks and compiles the stages of a pipeline. Throws MongoDB's code for the first that is wrong. */
export function compilePipeline(
  stages: readonly Document[],
  scope: Scope,
  context: AggregationContext,
  nested: Nested = { depth: context.depth ?? 0 },
): Stage[] {
  const { depth, from } = nested;
  const { pipelineDepth, pipelineLength } = currentWork().limits;
  if (stages.length > pipelineLength)
    fail(7749501, `Pipeline length must be no longer than ${pipelineLength} stages`);
  if (depth > pipelineDepth) {
    fail(
      'MaxSubPipelineDepthExceeded',
      `Maximum number of nested sub-pipelines exceeded. Limit is ${pipelineDepth}`,
    );
  }
  checkStages(stages);
  const within: StageScope = {
    scope,
    context,
    from,
    keepsKeys: asksMetadata(stages),
    collection: (name, database) => context.collection(name, { database, depth: depth + 1 }),
    pipeline: (inner, innerScope, below) =>
      compilePipeline(inner, innerScope, context, { depth: depth + 1, from: below }),
  };
  const optimized = optimize(stages, context.shortcuts);
  const kept = context.answers && depth === 0 ? keptLists(optimized) : undefined;
  return optimized.map((stage, i) => compileStage(stage, { ...within, kept: kept?.get(i) }));
}

import type { Document } from 'bson';
import { fail } from '../errors.js';
import type { Scope } from '../expressions/scope.js';
import { asksMetadata } from '../values/metadata.js';
import { currentWork } from '../values/work.js';
import { checkStages, stageNameOf } from './check-stages.js';
import type { AggregationContext } from './context.js';
import { keptLists } from './kept-lists.js';
import { optimize, SORTED_LIMIT } from './optimize.js';
import type { CompileStage, Stage, StageScope } from './stage.js';
import { BUCKET } from './stages/bucket.js';
import { COMBINE } from './stages/combine.js';
import { densify } from './stages/densify.js';
import { GROUP } from './stages/group.js';
import { lookup } from './stages/lookup.js';
import { match } from './stages/match.js';
import { ORDER, sort } from './stages/order.js';
import { SHAPE } from './stages/shape.js';
import { unwind } from './stages/unwind.js';
import { WINDOW } from './stages/window.js';
import { refuseWrites, WRITE } from './stages/write.js';

const STAGES: Readonly<Record<string, CompileStage>> = {
  $match: match,
  $lookup: lookup,
  $unwind: unwind,
  $densify: densify,
  ...BUCKET,
  ...COMBINE,
  ...GROUP,
  ...ORDER,
  ...SHAPE,
  ...WINDOW,
  ...WRITE,
};

/** Every stage that there is. */
export const STAGE_NAMES: readonly string[] = Object.keys(STAGES);

/** Stages that MongoDB has since a later version than 5.0. */
const SINCE: Readonly<Record<string, number>> = { $densify: 5.1, $documents: 5.1, $fill: 5.3 };

/** Stages that MongoDB has and this engine does not, with a plain answer instead of "unrecognized". */
const UNSUPPORTED = [
  '$geoNear',
  '$search',
  '$searchMeta',
  '$vectorSearch',
  '$listSampledQueries',
  '$planCacheStats',
];

function compileStage(stage: Document, within: StageScope): Stage {
  if (SORTED_LIMIT in stage) return sort(stage[SORTED_LIMIT], within, '$sort');
  const name = stageNameOf(stage);
  const known = Object.hasOwn(STAGES, name) && currentWork().version >= (SINCE[name] ?? 0);
  const compile = known ? STAGES[name] : undefined;
  if (compile !== undefined) {
    const pipeline: StageScope['pipeline'] = (inner, scope) => {
      refuseWrites(inner, name);
      return within.pipeline(inner, scope);
    };
    return compile(stage[name], { ...within, pipeline }, name);
  }
  if (UNSUPPORTED.includes(name)) fail('NotImplemented', `${name} is not supported by this engine`);
  const source =
    currentWork().version < (SINCE[name] ?? 0) ? undefined : within.context.source?.(name, stage[name]);
  if (source === undefined) return fail(40324, `Unrecognized pipeline stage name: '${name}'`);
  return { run: () => source };
}

/** Checks and compiles the stages of a pipeline. Throws MongoDB's code for the first that is wrong. */
export function compilePipeline(
  stages: readonly Document[],
  scope: Scope,
  context: AggregationContext,
  depth = 0,
): Stage[] {
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
    keepsKeys: asksMetadata(stages),
    pipeline: (inner, innerScope) => compilePipeline(inner, innerScope, context, depth + 1),
  };
  const optimized = optimize(stages);
  const kept = context.answers && depth === 0 ? keptLists(optimized) : undefined;
  return optimized.map((stage, i, all) => {
    const before = all[i - 1];
    const ownsInput = before !== undefined && '$lookup' in before;
    return compileStage(stage, { ...within, ownsInput, kept: kept?.get(i) });
  });
}

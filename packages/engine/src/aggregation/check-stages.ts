import type { Document } from 'bson';
import { fail } from '../errors.js';
import { type RefusedConditions, refuseConditions } from '../matching/refuse-conditions.js';
import { isDocument } from '../values/types.js';
import { currentWork } from '../values/work.js';
import { SORTED_LIMIT } from './optimize.js';
import { stageRule } from './stage-rules.js';

/** Options that only a query may use. */
const NOT_IN_MATCH: RefusedConditions = {
  $where: 'BadValue',
  $near: 5626500,
  $nearSphere: 5626500,
  $geoNear: 5626500,
};
const NOT_IN_LATER_MATCH: RefusedConditions = { ...NOT_IN_MATCH, $text: 'BadValue' };

/** The name of a stage. Throws TypeMismatch or 40323 for anything that is not a stage. */
export function stageNameOf(stage: unknown): string {
  if (!isDocument(stage))
    return fail('TypeMismatch', "Each element of the 'pipeline' array must be an object");
  const names = Object.keys(stage);
  if (names.length !== 1)
    fail(40323, 'A pipeline stage specification object must contain exactly one field.');
  if (names[0] === SORTED_LIMIT) fail(40324, `Unrecognized pipeline stage name: '${SORTED_LIMIT}'`);
  return names[0] as string;
}

function checkPlace(name: string, at: number, length: number): void {
  const { place } = stageRule(name);
  if (place === 'last' && at !== length - 1)
    fail(40601, `${name} can only be the final stage in the pipeline`);
  if (place === 'first' && at !== 0) fail(40602, `${name} is only valid as the first stage in a pipeline`);
}

/** Checks that each item is a stage and is allowed at its position. Throws MongoDB's code for the first that is not. */
export function checkStages(stages: readonly unknown[]): void {
  const { pipelineLength } = currentWork().limits;
  if (stages.length > pipelineLength) {
    fail(7749501, `Pipeline length must be no longer than ${pipelineLength} stages.`);
  }
  stages.forEach((stage, i) => {
    const name = stageNameOf(stage);
    checkPlace(name, i, stages.length);
    if (name === '$match')
      refuseConditions((stage as Document)[name], i === 0 ? NOT_IN_MATCH : NOT_IN_LATER_MATCH);
  });
}

import type { Document } from 'bson';
import { stageRule } from '../aggregation/stage-rules.js';
import { EngineError, fail } from '../errors.js';
import type { Transaction } from '../sessions/transaction.js';
import { isDocument } from '../values/index.js';
import type { KnownCommand } from './declaration.js';
import { apiOf } from './operation.js';

const strictFailure = (reason: string): never =>
  fail('APIStrictError', `Provided apiStrict:true, but ${reason}`);

/** Checks the Stable API version that a command requests. Throws APIVersionError, APIStrictError or 4886600. */
export function checkApi(command: KnownCommand, body: Document): void {
  const { apiVersion, apiStrict, apiDeprecationErrors } = body;
  if (apiVersion === undefined) {
    if (apiStrict !== undefined || apiDeprecationErrors !== undefined) {
      fail(4886600, 'Provided apiStrict and/or apiDeprecationErrors without passing apiVersion');
    }
    return;
  }
  if (apiVersion !== '1')
    throw new EngineError('APIVersionError', `API version must be "1", got ${apiVersion}`);
  if (apiStrict !== true) return;
  // Aliases of a command are not part of it.
  const [asked = ''] = Object.keys(body);
  if (command.stable !== true || asked !== command.name) {
    strictFailure(
      `the command ${asked} is not in API Version 1. Information on supported commands and migrations in API Version 1 can be found at https://dochub.mongodb.org/core/manual-versioned-api`,
    );
  }
}

/** Rejects writes to stored functions, which are not in API version 1. */
export function checkStableTarget(command: KnownCommand, given: Document): void {
  const [asked = ''] = Object.keys(given);
  if (given['apiStrict'] === true && command.retryable === true && given[asked] === 'system.js')
    strictFailure(`the command ${asked} attempts to write to system.js`);
}

/** If API version 1 is strict, rejects everything in a pipeline, at any depth, that is not part of it. */
export function checkStablePipeline(body: Document, stages: readonly unknown[]): void {
  if (body['apiStrict'] === true) checkStages(stages);
}

function checkStages(stages: readonly unknown[]): void {
  for (const stage of stages) {
    if (!isDocument(stage)) continue;
    for (const [name, spec] of Object.entries(stage)) checkStage(name, spec);
  }
}

function checkStage(name: string, spec: unknown): void {
  if (stageRule(name).unstable) strictFailure(`stage ${name} is not supported with API Version 1`);
  if (!isDocument(spec)) return;
  if (name === '$collStats' && Object.keys(spec).some((field) => field !== 'count'))
    strictFailure('of $collStats only the parameter count is in API Version 1');
  if ('_internalCollation' in spec) strictFailure(`_internalCollation of ${name} is not in API Version 1`);
  const within = name === '$facet' ? Object.values(spec) : [spec['pipeline']];
  for (const pipeline of within) if (Array.isArray(pipeline)) checkStages(pipeline);
}

/** Checks a command's API version against the one that its transaction began with. Throws APIMismatchError. */
export function checkSameApi(body: Document, transaction: Transaction | undefined): void {
  if (transaction === undefined || transaction.terms.api === apiOf(body)) return;
  throw new EngineError(
    'APIMismatchError',
    `API parameter mismatch: the transaction's are ${transaction.terms.api}, the command's are ${apiOf(body)}`,
  );
}

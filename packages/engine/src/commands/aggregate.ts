import type { Document } from 'bson';
import { isSource, isWriteStage, stageName, stageRule } from '../aggregation/stage-rules.js';
import { openChangeStream } from '../changes/change-stream.js';
import { fail } from '../errors.js';
import { clusterTime } from '../storage/oplog.js';
import { firstBatch } from './cursor-reply.js';
import { explainAggregate } from './explain.js';
import {
  type Answer,
  type Command,
  checkName,
  type Operation,
  openReader,
  refuseInTransaction,
} from './operation.js';
import { runAggregate } from './pipeline-rows.js';
import { batchSizeOf } from './query-options.js';
import { checkNamespace, collectionNameOf } from './source-stages.js';
import { checkStablePipeline } from './stable-api.js';
import { writeResults } from './write-stages.js';

function stagesOf(body: Document): Document[] {
  const pipeline: Document[] = body['pipeline'];
  pipeline.forEach((stage, i) => {
    if (Object.keys(stage).length !== 1) {
      fail(40323, 'A pipeline stage specification object must contain exactly one field.');
    }
    const name = stageName(stage);
    if (i > 0 && isSource(stage)) fail(40602, `${name} is only valid as the first stage in a pipeline`);
  });
  return pipeline;
}

/** Responds with the first batch of a change stream, whose cursor stays open. */
function watch(operation: Operation, stages: readonly Document[], batchSize: number | undefined): Answer {
  const { engine, db, body, meter } = operation;
  const name = collectionNameOf(body, 'aggregate');
  const collection = typeof body['aggregate'] === 'string' ? name : undefined;
  const rows = openChangeStream(engine, { db, collection }, stages);
  const cursor = {
    ns: `${db}.${name}`,
    rows,
    meter,
    wait: (milliseconds: number) => engine.changes.next(milliseconds),
    extras: (held: boolean) => ({ postBatchResumeToken: rows.token(held) }),
  };
  const operationTime = clusterTime(Date.now(), engine.lastChange);
  return firstBatch(engine, cursor, { batchSize }, { operationTime });
}

export const aggregate: Command = (operation) => {
  const { body, db } = operation;
  checkStablePipeline(body, body['pipeline']);
  const stages = stagesOf(body);
  const name = collectionNameOf(body, 'aggregate');
  if (typeof body['aggregate'] === 'string') checkName(db, name);
  const first = stageName(stages[0]);
  if (first !== '$changeStream') checkNamespace(first, db, name);
  const { explain = false } = body;
  if (body['cursor'] === undefined && !explain) {
    fail('FailedToParse', "The 'cursor' option is required, except for aggregate with the explain argument");
  }
  const writes = isWriteStage(stages.at(-1));
  if (body['writeConcern'] !== undefined && explain)
    fail('InvalidOptions', 'Aggregate does not take a writeConcern with explain');
  if (explain) return explainAggregate(operation, stages);
  if (stageRule(first).outside) refuseInTransaction(operation);
  const batchSize = batchSizeOf(body);
  if (first === '$changeStream') return watch(operation, stages, batchSize);
  if (writes) return writeResults(operation, stages);
  operation.meter.onlyReads = operation.transaction === undefined;
  const { reader, release } = openReader(operation);
  try {
    return runAggregate(operation, { reader, release }, stages, batchSize);
  } catch (error) {
    release();
    throw error;
  }
};

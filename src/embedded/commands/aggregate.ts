import type { Document } from 'bson';
import { pushDown, runPipeline } from '../aggregation/index.js';
import { openChangeStream } from '../changes/change-stream.js';
import { fail } from '../errors.js';
import type { Query } from '../planner/plan.js';
import { countQuery, runQuery } from '../planner/run-query.js';
import type { Found } from '../planner/scan.js';
import { encodeDocument } from '../storage/encode.js';
import { clusterTime } from '../storage/oplog.js';
import type { Reader } from '../storage/view.js';
import { decodeDocument } from '../values/index.js';
import { type Flow, PAUSE, type Paced, type Pause } from '../values/pace.js';
import { isTurnOver } from '../values/work.js';
import { readCount } from './counted.js';
import { firstBatch } from './cursor-reply.js';
import { type Answer, type Command, checkName, type Operation, openReader } from './operation.js';
import { pipelineContext } from './pipeline-context.js';
import { batchSizeOf } from './query-options.js';
import { SOURCE_STAGES } from './source-stages.js';
import { resolveSource } from './views.js';
import { isWriteStage, writeResults } from './write-stages.js';

function stagesOf(body: Document): Document[] {
  const pipeline: Document[] = body['pipeline'];
  pipeline.forEach((stage, i) => {
    if (Object.keys(stage).length !== 1) {
      fail(40323, 'A pipeline stage specification object must contain exactly one field.');
    }
    const name = stageName(stage);
    if (i > 0 && name in SOURCE_STAGES) fail(40602, `${name} is only valid as the first stage in a pipeline`);
  });
  return pipeline;
}

function* decodedRows(
  rows: Flow<Found>,
  fields: ReadonlySet<string> | undefined,
): Generator<Document | Pause> {
  for (const found of rows) yield found === PAUSE ? PAUSE : decodeDocument(found.bytes, fields);
}

const stageName = (stage: Document | undefined): string => Object.keys(stage ?? {})[0] ?? '';

/** The results of a pipeline as bytes. The stages are compiled, and so checked, before the first row is asked for. */
export function pipelineRows(
  operation: Operation,
  reader: Reader,
  name: string,
  stages: readonly Document[],
): Flow<Buffer> {
  const context = pipelineContext(operation, reader, name);
  const source = resolveSource(reader, operation.db, name);
  if (stageName(stages[0]) in SOURCE_STAGES) return encodedRows(runPipeline([], stages, context));
  const { rest, fields, ...asked } = pushDown([...source.stages, ...stages]);
  const query: Query = { ...asked, collation: context.collation, variables: context.variables };
  const { collection } = source;
  const counts = readCount(rest);
  if (counts !== undefined && collection !== undefined) {
    return countRows(countQuery(reader, collection, query, operation.meter), counts);
  }
  if (rest.length === 0 && collection !== undefined) {
    return bytesOf(runQuery(reader, collection, query, operation.meter));
  }
  const found = collection === undefined ? [] : runQuery(reader, collection, query, operation.meter);
  return encodedRows(runPipeline(decodedRows(found, fields), rest, context));
}

function* countRows(count: Paced<number>, counts: (count: number) => Document): Generator<Buffer | Pause> {
  const number = yield* count;
  if (number > 0) yield encodeDocument(counts(number));
}

function* encodedRows(documents: Flow<Document>): Generator<Buffer | Pause> {
  for (const document of documents) {
    yield document === PAUSE ? PAUSE : encodeDocument(document);
    if (isTurnOver()) yield PAUSE;
  }
}

function* bytesOf(rows: Flow<Found>): Generator<Buffer | Pause> {
  for (const found of rows) yield found === PAUSE ? PAUSE : found.bytes;
}

/** Runs a pipeline on a collection or view and answers with its first batch. Takes over the reader. */
export function runAggregate(
  operation: Operation,
  reader: Reader,
  release: () => void,
  stages: readonly Document[],
  batchSize: number | undefined,
): Answer | Promise<Answer> {
  const { engine, db, meter, body, name: command } = operation;
  const name = typeof body[command] === 'string' ? (body[command] as string) : '$cmd.aggregate';
  const rows = pipelineRows(operation, reader, name, stages)[Symbol.iterator]();
  const cursor = { ns: `${db}.${name}`, rows, meter, close: release, lastUsed: Date.now(), busy: false };
  return firstBatch(engine, cursor, { batchSize });
}

/** Answers with the first batch of a change stream, whose cursor stays open. */
function watch(operation: Operation, stages: readonly Document[], batchSize: number | undefined): Answer {
  const { engine, db, body, meter } = operation;
  const collection = typeof body['aggregate'] === 'string' ? body['aggregate'] : undefined;
  const rows = openChangeStream(engine, { db, collection }, stages);
  const cursor = {
    ns: `${db}.${collection ?? '$cmd.aggregate'}`,
    rows,
    meter,
    close: () => {},
    wait: (milliseconds: number) => engine.changes.next(milliseconds),
    extras: () => ({ postBatchResumeToken: rows.token }),
    lastUsed: Date.now(),
    busy: false,
  };
  const operationTime = clusterTime(Date.now(), engine.lastChange);
  return firstBatch(engine, cursor, { batchSize }, { operationTime });
}

export const aggregate: Command = (operation) => {
  const { body, db } = operation;
  const stages = stagesOf(body);
  if (typeof body['aggregate'] === 'string') checkName(db, body['aggregate']);
  if (body['cursor'] === undefined && body['explain'] !== true) {
    fail('FailedToParse', "The 'cursor' option is required, except for aggregate with the explain argument");
  }
  const batchSize = batchSizeOf(body);
  if (stageName(stages[0]) === '$changeStream') return watch(operation, stages, batchSize);
  const last = stages.at(-1);
  if (last !== undefined && isWriteStage(last)) return writeResults(operation, stages);
  const { reader, release } = openReader(operation);
  try {
    return runAggregate(operation, reader, release, stages, batchSize);
  } catch (error) {
    release();
    throw error;
  }
};

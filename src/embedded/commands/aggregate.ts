import type { Document } from 'bson';
import { openChangeStream } from '../changes/change-stream.js';
import { fail } from '../errors.js';
import { countQuery, runQuery } from '../planner/run-query.js';
import { encodeDocument } from '../storage/encode.js';
import type { Reader } from '../storage/view.js';
import { decodeDocument, isDocument } from '../values/index.js';
import { firstBatch } from './cursor-reply.js';
import { type Answer, type Command, checkName, type Operation, openReader } from './operation.js';
import { pipelineContext } from './pipeline-context.js';
import { takePrefix } from './pipeline-prefix.js';
import { runPipeline } from './pure.js';
import { wholeNumber } from './query-options.js';
import { SOURCE_STAGES } from './source-stages.js';
import { resolveSource } from './views.js';
import { isWriteStage, writeResults } from './write-stages.js';

function stagesOf(body: Document): Document[] {
  const { pipeline } = body;
  if (!Array.isArray(pipeline))
    return fail('TypeMismatch', "'pipeline' option must be specified as an array");
  for (const stage of pipeline) {
    if (!isDocument(stage)) fail('TypeMismatch', 'Each element of the pipeline array must be an object');
    if (Object.keys(stage).length !== 1) {
      fail(40323, 'A pipeline stage specification object must contain exactly one field.');
    }
  }
  return pipeline;
}

/** The results of a pipeline as bytes. */
export function* pipelineRows(
  operation: Operation,
  reader: Reader,
  name: string,
  stages: readonly Document[],
): Generator<Buffer> {
  const first = stages[0] === undefined ? '' : (Object.keys(stages[0])[0] as string);
  const context = pipelineContext(operation, reader, name);
  const special = SOURCE_STAGES[first];
  if (special !== undefined) {
    const documents = special(operation, reader, name, stages[0]?.[first]);
    for (const document of runPipeline(documents, stages.slice(1), context)) yield encodeDocument(document);
    return;
  }
  const source = resolveSource(reader, operation.db, name);
  const { query, rest, counts } = takePrefix(
    [...source.stages, ...stages],
    context.collation,
    context.variables,
  );
  const { collection } = source;
  if (counts !== undefined && collection !== undefined) {
    const count = countQuery(reader, collection, query, operation.meter);
    if (count > 0) yield encodeDocument(counts(count));
    return;
  }
  const found = collection === undefined ? [] : runQuery(reader, collection, query, operation.meter);
  if (rest.length === 0 && collection !== undefined) {
    for (const { bytes } of found) yield bytes;
    return;
  }
  const documents = (function* () {
    for (const { bytes } of found) yield decodeDocument(bytes);
  })();
  for (const document of runPipeline(documents, rest, context)) yield encodeDocument(document);
}

/** Runs a pipeline on a collection or view and answers with its first batch. Takes over the reader. */
export function runAggregate(
  operation: Operation,
  reader: Reader,
  release: () => void,
  stages: readonly Document[],
  batchSize: number | undefined,
): Answer {
  const { engine, db, meter, body, name: command } = operation;
  const name = typeof body[command] === 'string' ? (body[command] as string) : '$cmd.aggregate';
  const rows = pipelineRows(operation, reader, name, stages);
  const cursor = { ns: `${db}.${name}`, rows, meter, close: release, lastUsed: Date.now(), busy: false };
  return firstBatch(engine, cursor, { batchSize });
}

/** Throws for stages that may stand at one place only. */
function checkPlaces(stages: readonly Document[]): void {
  stages.forEach((stage, i) => {
    const name = Object.keys(stage)[0] as string;
    if (i > 0 && name in SOURCE_STAGES) fail(40602, `${name} is only valid as the first stage in a pipeline`);
    if (i < stages.length - 1 && isWriteStage(stage))
      fail(40601, `${name} can only be the final stage in the pipeline`);
  });
}

export const aggregate: Command = (operation) => {
  const { body, db } = operation;
  const stages = stagesOf(body);
  checkPlaces(stages);
  if (typeof body['aggregate'] === 'string') checkName(db, body['aggregate']);
  if (body['cursor'] === undefined && body['explain'] !== true) {
    fail('FailedToParse', "The 'cursor' option is required, except for aggregate with the explain argument");
  }
  const batchSize = wholeNumber(body['cursor'] ?? {}, 'batchSize');
  if (stages[0]?.['$changeStream'] !== undefined) return openChangeStream(operation, stages, batchSize);
  const last = stages.at(-1);
  if (last !== undefined && isWriteStage(last)) return writeResults(operation, stages.slice(0, -1), last);
  const { reader, release } = openReader(operation);
  try {
    return runAggregate(operation, reader, release, stages, batchSize);
  } catch (error) {
    release();
    throw error;
  }
};

import type { Document } from 'bson';
import { pushDown, runPipeline } from '../aggregation/index.js';
import { isSource } from '../aggregation/stage-rules.js';
import { compileFilter } from '../matching/index.js';
import { choosePlan } from '../planner/choose-plan.js';
import type { Plan, Query } from '../planner/plan.js';
import { countQuery, runPlan, runQuery } from '../planner/run-query.js';
import type { Found, ScanMeter } from '../planner/scan.js';
import { ByteWriter } from '../storage/byte-writer.js';
import type { CollectionMeta } from '../storage/catalog.js';
import { encodeDocument, encodePaced } from '../storage/encode.js';
import type { Reader } from '../storage/view.js';
import { documentReader } from '../values/byte-document.js';
import { MAX_ROW_BYTES } from '../values/document-size.js';
import { decodeDocument } from '../values/index.js';
import { asksMetadata } from '../values/metadata.js';
import { type Flow, PAUSE, type Paced, type Pause } from '../values/pace.js';
import { use } from '../values/shortcuts.js';
import { isTurnOver } from '../values/work.js';
import { readCount } from './counted.js';
import { firstBatch } from './cursor-reply.js';
import type { Answer, Operation, Reading } from './operation.js';
import { pipelineContext } from './pipeline-context.js';
import { hintOf } from './query-options.js';
import { metadataNoter } from './row-metadata.js';
import { collectionNameOf } from './source-stages.js';
import { resolveSource } from './views.js';

function* decodedRows(
  rows: Flow<Found>,
  fields: ReadonlySet<string> | undefined,
): Generator<Document | Pause> {
  const read = documentReader(fields);
  for (const found of rows) yield found === PAUSE ? PAUSE : read(found.bytes);
}

/**
 * The results of a pipeline as bytes, each valid until the next one is requested. The stages are compiled, and thus checked, before
 * the first row is requested.
 */
export function pipelineRows(
  operation: Operation,
  reader: Reader,
  name: string,
  stages: readonly Document[],
): Flow<Buffer> {
  const { shortcuts } = operation.meter;
  const source = resolveSource(reader, operation.db, name);
  const isAsked = isSource(stages[0]);
  const isBelow = !isAsked && isSource(source.stages[0]);
  const context = pipelineContext(operation, reader, isBelow ? source.name : name);
  const answering = { ...context, answers: true };
  if (isAsked) return encodedRows(runPipeline([], stages, answering));
  if (isBelow) return encodedRows(runPipeline([], [...source.stages, ...stages], answering));
  const pushed = pushDown(source.stages.length === 0 ? stages : [...source.stages, ...stages], shortcuts);
  const { rest, fields, ...asked } = pushed;
  const { collation, variables } = context;
  const query: Query = {
    shortcuts,
    ...asked,
    collation,
    variables,
    hint: hintOf(operation.body['hint']),
    columns: operation.engine.columns,
  };
  const { collection } = source;
  if (collection !== undefined) operation.meter.tables.add(collection.table);
  const counts = readCount(rest);
  if (counts !== undefined && collection !== undefined && use(shortcuts, 'countStages')) {
    return countRows(countQuery(reader, collection, query, operation.meter), counts);
  }
  const run = (from: CollectionMeta): Flow<Found> => runQuery(reader, from, query, operation.meter);
  if (rest.length === 0 && collection !== undefined) {
    return bytesOf(run(collection));
  }
  // Unusable arguments are rejected even if there is nothing to read.
  if (collection === undefined) compileFilter(query.filter, query);
  const documents =
    collection === undefined
      ? []
      : asksMetadata(rest)
        ? notedRows(reader, choosePlan(reader, collection, query), query, operation.meter)
        : decodedRows(run(collection), fields);
  return encodedRows(runPipeline(documents, rest, answering));
}

/** The documents found, with the values that `$meta` may refer to. */
function* notedRows(reader: Reader, plan: Plan, query: Query, meter: ScanMeter): Generator<Document | Pause> {
  const note = metadataNoter(plan, query);
  for (const found of runPlan(reader, plan, query, meter))
    yield found === PAUSE ? PAUSE : note(decodeDocument(found.bytes), found);
}

function* countRows(count: Paced<number>, counts: (count: number) => Document): Generator<Buffer | Pause> {
  const number = yield* count;
  if (number > 0) yield encodeDocument(counts(number));
}

/** Documents as bytes, each until the next one is requested. */
function* encodedRows(documents: Flow<Document>): Generator<Buffer | Pause> {
  const to = new ByteWriter(MAX_ROW_BYTES);
  for (const document of documents) {
    yield document === PAUSE ? PAUSE : yield* encodePaced(to, document);
    if (isTurnOver()) yield PAUSE;
  }
}

function* bytesOf(rows: Flow<Found>): Generator<Buffer | Pause> {
  for (const found of rows) yield found === PAUSE ? PAUSE : found.bytes;
}

/** Runs a pipeline on a collection or view and responds with the first batch. Takes ownership of the reader. */
export function runAggregate(
  operation: Operation,
  { reader, release }: Reading,
  stages: readonly Document[],
  batchSize: number | undefined,
): Answer | Promise<Answer> {
  const { engine, db, meter, body, name: command } = operation;
  const name = collectionNameOf(body, command);
  const rows = pipelineRows(operation, reader, name, stages)[Symbol.iterator]();
  return firstBatch(engine, { ns: `${db}.${name}`, rows, meter, close: release }, { batchSize });
}

import type { Document } from 'bson';
import { pushDown, runPipeline } from '../aggregation/index.js';
import { isSource } from '../aggregation/stage-rules.js';
import { compileFilter } from '../matching/index.js';
import { choosePlan } from '../planner/choose-plan.js';
import { leapOfGroups, leapThrough } from '../planner/distinct-scan.js';
import type { Plan, Query } from '../planner/plan.js';
import { countQuery, runPlan, runQuery } from '../planner/run-query.js';
import type { Found, ScanMeter } from '../planner/scan.js';
import { inclusionOf, type ProjectBytes } from '../projection/project-bytes.js';
import type { CollectionMeta } from '../storage/catalog.js';
import { encodeDocument, encodePaced } from '../storage/encode.js';
import type { Reader } from '../storage/view.js';
import { documentReader } from '../values/byte-document.js';
import { MAX_ROW_BYTES } from '../values/document-size.js';
import { decodeDocument, hasher, isDocument } from '../values/index.js';
import { asksMetadata } from '../values/metadata.js';
import { type Flow, PAUSE, type Paced, type Pause } from '../values/pace.js';
import { rootOf, valueAt } from '../values/paths.js';
import { use } from '../values/shortcuts.js';
import { isTurnOver, tick } from '../values/work.js';
import { readCount, readGroupedPath } from './counted.js';
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
    counts: operation.engine.counts,
    columns: operation.engine.columns,
    borrows: true,
  };
  const { collection } = source;
  if (collection !== undefined) operation.meter.tables.add(collection.table);
  const counts = readCount(rest);
  if (counts !== undefined && collection !== undefined) {
    return countRows(countQuery(reader, collection, query, operation.meter), counts);
  }
  const run = (from: CollectionMeta): Flow<Found> => runQuery(reader, from, query, operation.meter);
  const groups = collection && groupRows(operation, reader, { collection, query, first: rest[0] });
  if (groups !== undefined) return encodedRows(runPipeline(groups, rest.slice(1), answering));
  if (rest.length === 0 && collection !== undefined) {
    return bytesOf(run(collection));
  }
  const project = shownBy(rest);
  if (project !== undefined && collection !== undefined && use(shortcuts, 'byteProjections')) {
    return shownRows(run(collection), project);
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

/** The results of a `$group` by a single path, if an index has the values; undefined for anything else. */
function groupRows(
  { meter }: Operation,
  reader: Reader,
  {
    collection,
    query,
    first,
  }: { readonly collection: CollectionMeta; readonly query: Query; readonly first: Document | undefined },
): Flow<Document> | undefined {
  const path = readGroupedPath(first);
  if (path === undefined) return undefined;
  const leap = leapOfGroups(reader, collection, query, path);
  if (leap === undefined) return undefined;
  const read = documentReader(new Set([rootOf(path)]));
  const valuesOf = (bytes: Buffer): unknown[] => [valueAt(read(bytes), path) ?? null];
  return distinctGroups(leapThrough({ reader, meter, valuesOf, missing: true }, leap));
}

function* distinctGroups(values: Flow<unknown>): Generator<Document | Pause> {
  const hash = hasher(undefined);
  const seen = new Set<unknown>();
  for (const value of values) {
    if (value === PAUSE) {
      yield PAUSE;
      continue;
    }
    const id = hash(value);
    if (!seen.has(id)) yield { _id: value };
    seen.add(id);
  }
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

function* encodedRows(documents: Flow<Document>): Generator<Buffer | Pause> {
  for (const document of documents) {
    yield document === PAUSE ? PAUSE : yield* encodePaced(document, MAX_ROW_BYTES);
    if (isTurnOver()) yield PAUSE;
  }
}

function* bytesOf(rows: Flow<Found>): Generator<Buffer | Pause> {
  for (const found of rows) yield found === PAUSE ? PAUSE : found.bytes;
}

/**
 * What a `$project` that is the whole pipeline does to stored bytes; undefined if it is not an inclusion, or an invalid one,
 * which the stage rejects by name.
 */
function shownBy([stage, ...others]: readonly Document[]): ProjectBytes | undefined {
  const spec: unknown = stage?.['$project'];
  if (others.length > 0 || !isDocument(spec)) return undefined;
  try {
    return inclusionOf(spec);
  } catch {
    return undefined;
  }
}

/** The documents found, with only the requested fields; each valid until the next one is requested. */
export function* shownRows(rows: Flow<Found>, project: ProjectBytes): Generator<Buffer | Pause> {
  for (const found of rows) {
    yield found === PAUSE ? PAUSE : project(found.bytes);
    tick();
    if (isTurnOver()) yield PAUSE;
  }
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

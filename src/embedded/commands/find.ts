import { type Document, Long } from 'bson';
import { fail } from '../errors.js';
import { compileFilter } from '../matching/index.js';
import { choosePlan } from '../planner/choose-plan.js';
import type { Plan, Query } from '../planner/plan.js';
import { runPlan } from '../planner/run-query.js';
import type { Found } from '../planner/scan.js';
import { compileProjection } from '../projection/index.js';
import type { CollectionMeta } from '../storage/catalog.js';
import { encodeDocument } from '../storage/encode.js';
import type { Reader } from '../storage/view.js';
import { decodeDocument, indexKeys } from '../values/index.js';
import { PAUSE, type Pause } from '../values/pace.js';
import { firstBatch } from './cursor-reply.js';
import { type Command, collectionName, type Operation, openReader } from './operation.js';
import { runAggregate } from './pipeline-rows.js';
import { documentOf, queryOf } from './query-options.js';
import { findAsPipeline } from './views.js';

/** The results of a find as bytes: as they are stored, unless a projection reshapes them. */
export function* findRows(
  operation: Operation,
  reader: Reader,
  query: Query,
  projection: Document,
): Generator<Buffer | Pause> {
  const meta = reader.catalog.get(operation.db, collectionName(operation));
  if (meta === undefined) {
    compileFilter(query.filter, query);
    if (Object.keys(projection).length > 0) compileProjection(projection, query);
    return;
  }
  const plan = choosePlan(reader, meta, query);
  const shape = shaper(operation, plan, query, projection);
  for (const found of runPlan(reader, plan, query, operation.meter)) {
    if (found === PAUSE || shape === undefined) yield found === PAUSE ? PAUSE : found.bytes;
    else yield encodeDocument(shape(found));
  }
}

/** Options of a find that a pipeline, and so a view, does not have. */
const NOT_ON_VIEWS = ['min', 'max', 'returnKey', 'showRecordId', 'tailable', 'awaitData', 'readOnce'];

function checkOptions(body: Document, meta: CollectionMeta | undefined): void {
  const isView = meta?.options['viewOn'] !== undefined;
  const odd = isView
    ? NOT_ON_VIEWS.find((option) => body[option] !== undefined && body[option] !== false)
    : undefined;
  if (odd !== undefined) fail('InvalidPipelineOperator', `Option ${odd} not supported in aggregation.`);
  if (isView && body['sort']?.['$natural'] !== undefined) {
    fail('InvalidPipelineOperator', 'Sort option $natural not supported in aggregation.');
  }
  if (body['awaitData'] === true && body['tailable'] !== true) {
    fail('FailedToParse', 'Cannot set awaitData without tailable');
  }
  if (body['tailable'] !== true || meta === undefined) return;
  if (meta.options['capped'] !== true) {
    fail(
      'BadValue',
      `error processing query: tailable cursor requested on non capped collection ${meta.name}`,
    );
  }
  fail('NotImplemented', 'tailable cursors on collections are not supported by this engine');
}

/** The members of the key that the plan's index has for a document; none where there is no index. */
function keyOf(plan: Plan, document: Document): Document {
  if (plan.kind !== 'IXSCAN') return {};
  const [values = []] = indexKeys(document, plan.index.paths);
  return Object.fromEntries(plan.index.paths.map((path, i) => [path, values[i] ?? null]));
}

/** What a find shows of a found document; undefined where it is shown as it is stored. */
function shaper(
  { body }: Operation,
  plan: Plan,
  query: Query,
  projection: Document,
): ((found: Found) => Document) | undefined {
  const { returnKey, showRecordId } = body;
  const isWhole = Object.keys(projection).length === 0;
  if (isWhole && returnKey !== true && showRecordId !== true) return undefined;
  const project = isWhole ? (document: Document) => document : compileProjection(projection, query);
  const shape = (document: Document): Document =>
    returnKey === true ? keyOf(plan, document) : project(document);
  if (showRecordId !== true) return ({ bytes }) => shape(decodeDocument(bytes));
  return ({ bytes, record }) => ({ ...shape(decodeDocument(bytes)), $recordId: Long.fromNumber(record) });
}

export const find: Command = (operation) => {
  const { engine, body, db, meter } = operation;
  const name = collectionName(operation);
  const { reader, release } = openReader(operation);
  try {
    const meta = reader.catalog.get(db, name);
    checkOptions(body, meta);
    const query = queryOf(body, 'filter', meta);
    const batchSize: number | undefined = body['batchSize'];
    if (meta?.options['viewOn'] !== undefined) {
      return runAggregate(
        operation,
        reader,
        release,
        findAsPipeline(query, documentOf(body, 'projection')),
        batchSize,
      );
    }
    if (meta !== undefined) meter.tables.add(meta.table);
    const rows = findRows(operation, reader, query, documentOf(body, 'projection'));
    const single = body['singleBatch'] === true;
    const cursor = { ns: `${db}.${name}`, rows, meter, close: release, lastUsed: Date.now(), busy: false };
    return firstBatch(engine, cursor, { batchSize, single });
  } catch (error) {
    release();
    throw error;
  }
};

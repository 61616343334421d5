import { type Document, Long } from 'bson';
import { fail } from '../errors.js';
import { compileFilter } from '../matching/index.js';
import { choosePlan } from '../planner/choose-plan.js';
import type { Plan, Query } from '../planner/plan.js';
import { runPlan } from '../planner/run-query.js';
import type { Found } from '../planner/scan.js';
import { compileProjection } from '../projection/index.js';
import { isFlag } from '../projection/parse-projection.js';
import { ByteWriter } from '../storage/byte-writer.js';
import type { CollectionMeta } from '../storage/catalog.js';
import { encodeBy } from '../storage/encode.js';
import type { Reader } from '../storage/view.js';
import { documentReader } from '../values/byte-document.js';
import { isDocument } from '../values/index.js';
import { asksMetadata, metadataOf, withMetadata } from '../values/metadata.js';
import { PAUSE, type Pause } from '../values/pace.js';
import { rootOf } from '../values/paths.js';
import { use } from '../values/shortcuts.js';
import { isTruthy } from '../values/type-names.js';
import { firstBatch } from './cursor-reply.js';
import {
  type Command,
  collectionName,
  type Operation,
  openReader,
  type Reading,
  refuseInTransaction,
} from './operation.js';
import { runAggregate } from './pipeline-rows.js';
import { documentOf, queryOf } from './query-options.js';
import { keyOf, metadataNoter } from './row-metadata.js';
import { findAsPipeline } from './views.js';

/** The results of a find as bytes: as stored, unless a projection reshapes them. */
function* findRows(
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
  const to = new ByteWriter();
  for (const found of runPlan(reader, plan, query, operation.meter)) {
    if (found === PAUSE || shape === undefined) yield found === PAUSE ? PAUSE : found.bytes;
    else yield encodeBy(to, shape(found));
  }
}

/** Options of a find that a pipeline, and therefore a view, does not have. */
const NOT_ON_VIEWS = [
  'min',
  'max',
  'returnKey',
  'showRecordId',
  'tailable',
  'awaitData',
  'noCursorTimeout',
  'allowPartialResults',
  'readOnce',
];

/** A view's sort by `$natural` is a hint of its pipeline. */
function runOnView(operation: Operation, reading: Reading, query: Query, projection: Document) {
  const { body } = operation;
  const natural: unknown = query.sort?.['$natural'];
  const asked = natural === undefined ? query : { ...query, sort: undefined };
  const hint = natural === undefined ? body['hint'] : { $natural: natural };
  const batchSize: number | undefined = body['batchSize'];
  const stages = findAsPipeline(asked, projection);
  return runAggregate({ ...operation, body: { ...body, hint } }, reading, stages, batchSize);
}

const asksSortKey = (projection: unknown): boolean =>
  isDocument(projection) &&
  Object.values(projection).some((value) => isDocument(value) && value['$meta'] === 'sortKey');

function checkOptions(body: Document, meta: CollectionMeta | undefined): void {
  const isView = meta?.options['viewOn'] !== undefined;
  const odd = isView
    ? NOT_ON_VIEWS.find((option) => body[option] !== undefined && body[option] !== false)
    : undefined;
  if (odd !== undefined) fail('InvalidPipelineOperator', `Option ${odd} not supported in aggregation.`);
  if (body['sort'] === undefined && asksSortKey(body['projection']))
    fail('BadValue', 'cannot use sortKey $meta projection without a sort');
  if (body['$_requestResumeToken'] === true || body['$_resumeAfter'] !== undefined)
    fail('NotImplemented', 'resuming a scan is not supported by this engine');
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

/** The `$meta` fields of a projection, which are added to an index key as well. */
const metaOf = (projection: Document): Document =>
  Object.fromEntries(Object.entries(projection).filter(([, value]) => asksMetadata(value)));

/** The paths that a projection of plain fields returns; undefined if it may read others. */
function shownPaths(projection: Document): readonly string[] | undefined {
  const entries = Object.entries(projection);
  const plain = entries.every(
    ([path, value]) => isFlag(value) && (isTruthy(value) || path === '_id') && !path.includes('$'),
  );
  const shows = entries.some(([, value]) => isTruthy(value));
  if (!plain || !shows) return undefined;
  const shown = entries.filter(([, value]) => isTruthy(value)).map(([path]) => path);
  return projection['_id'] === undefined ? ['_id', ...shown] : shown;
}

/** What a find returns for a document; undefined if it is returned as stored. */
function shaper(
  { body }: Operation,
  plan: Plan,
  query: Query,
  projection: Document,
): ((found: Found) => Document) | undefined {
  const { returnKey, showRecordId } = body;
  if (Object.keys(projection).length === 0 && returnKey !== true && showRecordId !== true) return undefined;
  const project = compileProjection(projection, query);
  const beside = compileProjection(metaOf(projection), query);
  const note = asksMetadata(projection) ? metadataNoter(plan, query) : undefined;
  const shape = (document: Document): Document =>
    returnKey === true
      ? { ...keyOf(plan, document), ...beside(withMetadata({}, metadataOf(document) ?? {})) }
      : project(document);
  const shown = note === undefined && returnKey !== true ? shownPaths(projection) : undefined;
  const isPart = shown !== undefined && use(query.shortcuts, 'partialDecoding');
  const read = documentReader(isPart ? new Set(shown.map(rootOf)) : undefined);
  return (found) => {
    const stored = read(found.bytes);
    const shown = shape(note === undefined ? stored : note(stored, found));
    return showRecordId === true ? { ...shown, $recordId: Long.fromNumber(found.record) } : shown;
  };
}

export const find: Command = (operation) => {
  const { engine, body, db, meter } = operation;
  const name = collectionName(operation);
  const { reader, release } = openReader(operation);
  try {
    if (body['readOnce'] === true) refuseInTransaction(operation);
    if (body['tailable'] === true && operation.transaction !== undefined)
      fail('InvalidOptions', 'tailable cursors are not allowed in multi-document transactions');
    const meta = reader.catalog.get(db, name);
    checkOptions(body, meta);
    const projection = documentOf(body, 'projection');
    const asked = queryOf(operation, 'filter', meta);
    const query = { ...asked, columns: engine.columns };
    const batchSize: number | undefined = body['batchSize'];
    if (meta?.options['viewOn'] !== undefined)
      return runOnView(operation, { reader, release }, query, projection);
    if (meta !== undefined) meter.tables.add(meta.table);
    const rows = findRows(operation, reader, query, projection);
    const single = body['singleBatch'] === true;
    return firstBatch(engine, { ns: `${db}.${name}`, rows, meter, close: release }, { batchSize, single });
  } catch (error) {
    release();
    throw error;
  }
};

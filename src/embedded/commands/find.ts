import type { Document } from 'bson';
import { compileFilter } from '../matching/index.js';
import type { Query } from '../planner/plan.js';
import { runQuery } from '../planner/run-query.js';
import { compileProjection } from '../projection/index.js';
import { encodeDocument } from '../storage/encode.js';
import type { Reader } from '../storage/view.js';
import { decodeDocument } from '../values/index.js';
import { PAUSE, type Pause } from '../values/pace.js';
import { runAggregate } from './aggregate.js';
import { firstBatch } from './cursor-reply.js';
import { type Command, collectionName, type Operation, openReader } from './operation.js';
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
    compileFilter(query.filter, { collation: query.collation, variables: query.variables });
    return;
  }
  const project =
    Object.keys(projection).length === 0
      ? undefined
      : compileProjection(projection, {
          filter: query.filter,
          collation: query.collation,
          variables: query.variables,
        });
  for (const found of runQuery(reader, meta, query, operation.meter)) {
    if (found === PAUSE || project === undefined) yield found === PAUSE ? PAUSE : found.bytes;
    else yield encodeDocument(project(decodeDocument(found.bytes)));
  }
}

export const find: Command = (operation) => {
  const { engine, body, db, meter } = operation;
  const name = collectionName(operation);
  const { reader, release } = openReader(operation);
  try {
    const meta = reader.catalog.get(db, name);
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
    const rows = findRows(operation, reader, query, documentOf(body, 'projection'));
    const single = body['singleBatch'] === true;
    const cursor = { ns: `${db}.${name}`, rows, meter, close: release, lastUsed: Date.now(), busy: false };
    return firstBatch(engine, cursor, { batchSize, single });
  } catch (error) {
    release();
    throw error;
  }
};

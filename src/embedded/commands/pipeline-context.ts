import type { Document } from 'bson';
import {
  type AggregationContext,
  type CollectionAccess,
  pushDown,
  runPipeline,
} from '../aggregation/index.js';
import type { Query } from '../planner/plan.js';
import { runQuery } from '../planner/run-query.js';
import { Batch } from '../storage/batch.js';
import type { Reader } from '../storage/view.js';
import { type Collation, decodeDocument, isSimpleCollation } from '../values/index.js';
import { PAUSE, type Pause } from '../values/pace.js';
import type { Operation } from './operation.js';
import { collationOf } from './query-options.js';
import { SOURCE_STAGES } from './source-stages.js';
import { resolveSource } from './views.js';
import { writeAccess } from './write-access.js';

function* decoded(
  operation: Operation,
  reader: Reader,
  from: { db: string; name: string },
  query: Query,
  context: AggregationContext,
  fields?: ReadonlySet<string>,
): Generator<Document | Pause> {
  const source = resolveSource(reader, from.db, from.name);
  const { collection, stages } = source;
  if (collection === undefined) return;
  if (stages.length === 0) {
    const windowed = query.sort !== undefined || query.skip !== undefined || query.limit !== undefined;
    const joined =
      windowed || !isSimpleCollation(query.collation)
        ? undefined
        : operation.engine.joins.find(reader, collection, query.filter);
    if (joined !== undefined) {
      yield* joined;
      return;
    }
    for (const found of runQuery(reader, collection, query, operation.meter))
      yield found === PAUSE ? PAUSE : decodeDocument(found.bytes, fields);
    return;
  }
  const tail: Document[] = [{ $match: query.filter }];
  if (query.sort !== undefined) tail.push({ $sort: query.sort });
  if (query.skip) tail.push({ $skip: query.skip });
  if (query.limit !== undefined) tail.push({ $limit: query.limit });
  const { rest, ...under } = pushDown([...stages, ...tail]);
  const documents = decoded(
    operation,
    reader,
    { db: from.db, name: source.name },
    { ...query, ...under },
    context,
  );
  yield* runPipeline(documents, rest, context);
}

/** What a pipeline runs in: the operation's own state, read through the planner, and written where it is a batch. */
export function pipelineContext(operation: Operation, reader: Reader, name: string): AggregationContext {
  const { db, body } = operation;
  const collation: Collation | undefined = collationOf(body, reader.catalog.get(db, name));
  const variables = body['let'] as Document | undefined;
  const validates = body['bypassDocumentValidation'] !== true;
  const context: AggregationContext = {
    collation,
    variables,
    collection: (from: string, database = db): CollectionAccess => ({
      find: ({ filter, sort, skip, limit, fields }) =>
        decoded(
          operation,
          reader,
          { db: database, name: from },
          { filter, sort, skip, limit, collation },
          context,
          fields,
        ),
      ...(reader instanceof Batch
        ? writeAccess({ batch: reader, db: database, name: from, meter: operation.meter, validates })
        : {}),
    }),
    source: (stage, operand) => SOURCE_STAGES[stage]?.(operation, reader, name, operand),
  };
  return context;
}

import type { Document } from 'bson';
import {
  type AggregationContext,
  type CollectionAccess,
  pushDown,
  runPipeline,
} from '../aggregation/index.js';
import { fail } from '../errors.js';
import { storedCollation } from '../options/collation.js';
import type { Query } from '../planner/plan.js';
import { runQuery } from '../planner/run-query.js';
import { Batch } from '../storage/batch.js';
import type { CollectionMeta } from '../storage/catalog.js';
import type { Reader } from '../storage/view.js';
import { documentReader } from '../values/byte-document.js';
import { isSameCollation } from '../values/collation.js';
import type { Collation } from '../values/index.js';
import { mapFlow, type Pause } from '../values/pace.js';
import type { Operation } from './operation.js';
import { collationOf } from './query-options.js';
import { sourceOf } from './source-stages.js';
import { findAsPipeline, resolveSource } from './views.js';
import { writeAccess } from './write-access.js';

/** The state in which a pipeline's collections are read. */
interface Reading {
  readonly operation: Operation;
  readonly reader: Reader;
  readonly context: AggregationContext;
}

function* decoded(
  reading: Reading,
  from: { db: string; name: string },
  query: Query,
  fields?: ReadonlySet<string>,
): Generator<Document | Pause> {
  const { operation, reader, context } = reading;
  const source = resolveSource(reader, from.db, from.name);
  const { collection, stages } = source;
  if (collection === undefined) return;
  if (stages.length === 0) {
    const read = documentReader(fields);
    yield* mapFlow(runQuery(reader, collection, query, operation.meter), ({ bytes }) => read(bytes));
    return;
  }
  const { rest, fields: _, ...under } = pushDown([...stages, ...findAsPipeline(query, {})], query.shortcuts);
  const documents = decoded(reading, { db: from.db, name: source.name }, { ...query, ...under });
  yield* runPipeline(documents, rest, context);
}

/** Throws OptionNotSupportedOnView if a view is read with a collation other than its own. */
function checkCollation(meta: CollectionMeta | undefined, collation: Collation | undefined): void {
  if (meta?.options['viewOn'] === undefined) return;
  const own = storedCollation(meta.options['collation']);
  if (!isSameCollation(own, collation))
    fail('OptionNotSupportedOnView', `Cannot override a view's default collation: ${meta.name}`);
}

/** The environment of a pipeline: the operation's own state, read through the planner, and written to if it is a batch. */
export function pipelineContext(operation: Operation, reader: Reader, name: string): AggregationContext {
  const { db, body } = operation;
  const collation: Collation | undefined = collationOf(body, reader.catalog.get(db, name));
  const variables = body['let'] as Document | undefined;
  const validates = body['bypassDocumentValidation'] !== true;
  const { shortcuts } = operation.meter;
  const context: AggregationContext = {
    shortcuts,
    collation,
    variables,
    collection: (from, { database = db, depth } = {}) => {
      checkCollation(reader.catalog.get(database, from), collation);
      resolveSource(reader, database, from);
      return access(from, database, depth);
    },
    source: sourceOf({ operation, reader, db, name }),
  };
  const access = (from: string, database: string, depth?: number): CollectionAccess => ({
    source: sourceOf({ operation, reader, db: database, name: from }),
    find: ({ filter, sort, skip, limit, fields }) =>
      decoded(
        { operation, reader, context: { ...context, depth } },
        { db: database, name: from },
        { filter, sort, skip, limit, collation, columns: operation.engine.columns, shortcuts },
        fields,
      ),
    ...(reader instanceof Batch
      ? writeAccess({
          batch: reader,
          db: database,
          name: from,
          meter: operation.meter,
          collation,
          validates,
        })
      : {}),
  });
  return context;
}

import type { Document } from 'bson';
import { runQuery } from '../planner/run-query.js';
import type { Reader } from '../storage/view.js';
import { decodeDocument } from '../values/index.js';
import type { Operation } from './operation.js';
import { takePrefix } from './pipeline-prefix.js';
import { type PipelineCollection, type PipelineContext, runPipeline } from './pure.js';
import { collationOf } from './query-options.js';
import { resolveSource } from './views.js';

/** What `$lookup`, `$unionWith` and `$graphLookup` read: the operation's own state, through the planner. */
export function pipelineContext(operation: Operation, reader: Reader, name: string): PipelineContext {
  const { db, body, meter } = operation;
  const collation = collationOf(body, reader.catalog.get(db, name));
  const context: PipelineContext = {
    collation,
    variables: body['let'] as Document | undefined,
    collection: (from: string): PipelineCollection => ({
      *find(request) {
        const source = resolveSource(reader, db, from);
        if (source.collection === undefined) return;
        const asked = { ...request, collation };
        if (source.stages.length === 0) {
          for (const { bytes } of runQuery(reader, source.collection, asked, meter))
            yield decodeDocument(bytes);
          return;
        }
        const { query, rest } = takePrefix(source.stages, collation);
        const under = runQuery(reader, source.collection, query, meter);
        const documents = (function* () {
          for (const { bytes } of under) yield decodeDocument(bytes);
        })();
        yield* runPipeline(documents, [...rest, { $match: asked.filter }], context);
      },
    }),
  };
  return context;
}

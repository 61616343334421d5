import type { Document } from 'bson';
import { type AggregationContext, pushDown, runPipeline } from '../../src/aggregation/index.js';
import { compileFilter } from '../../src/matching/index.js';
import { compileProjection } from '../../src/projection/index.js';
import { compileUpdate } from '../../src/update/index.js';
import { unpaced } from '../../src/values/pace.js';
import { ALL_SHORTCUTS } from '../../src/values/shortcuts.js';

/** One case for a server. */
export type Case =
  | {
      readonly kind: 'find';
      readonly filter: Document;
      readonly sort: Document;
      readonly projection: Document;
    }
  | { readonly kind: 'pipeline'; readonly pipeline: Document[] }
  | {
      readonly kind: 'update';
      readonly filter: Document;
      readonly update: Document;
      readonly arrayFilters?: Document[];
    };

// One by one: an error behind the filter occurs before one that the filter causes in a later document.
function* matching(documents: readonly Document[], filter: Document): Generator<Document> {
  const test = compileFilter(filter);
  for (const document of documents) if (test(document)) yield document;
}

/** A database of collections in memory, each a list of documents. */
export function inMemory(collections: Readonly<Record<string, readonly Document[]>>): AggregationContext {
  const context: AggregationContext = {
    shortcuts: ALL_SHORTCUTS,
    collection: (name) => ({
      // As in a storage, nothing is read before the first document is requested.
      find: function* find({ filter, sort, skip, limit }) {
        const window: Document[] = sort === undefined ? [] : [{ $sort: sort }];
        if (skip !== undefined) window.push({ $skip: skip });
        if (limit !== undefined) window.push({ $limit: limit });
        yield* runPipeline(matching(collections[name] ?? [], filter), window, context);
      },
    }),
  };
  return context;
}

/** Runs a pipeline as a storage does: what can be pushed down goes through `find`. */
export function aggregate(
  collections: Readonly<Record<string, readonly Document[]>>,
  name: string,
  stages: readonly Document[],
): Document[] {
  const context = inMemory(collections);
  const { rest, ...request } = pushDown(stages, ALL_SHORTCUTS);
  return [...unpaced(runPipeline(context.collection(name).find(request), rest, context))];
}

/** The result of a case over some documents in the pure evaluators. */
export function expected(documents: readonly Document[], request: Case): Document[] {
  switch (request.kind) {
    case 'find': {
      const stages = [{ $match: request.filter }, { $sort: request.sort }];
      return aggregate({ all: documents }, 'all', stages).map(
        compileProjection(request.projection, { filter: request.filter }),
      );
    }
    case 'pipeline':
      return aggregate({ all: documents }, 'all', request.pipeline);
    default: {
      const { filter, update, arrayFilters } = request;
      const apply = compileUpdate(update, { filter, arrayFilters });
      const test = compileFilter(filter);
      const target = documents.find(test);
      return documents.map((document) => (document === target ? apply(document) : document));
    }
  }
}

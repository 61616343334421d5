import { compileFilter } from '../matching/index.js';
import { countQuery } from '../planner/run-query.js';
import { decodeDocument } from '../values/index.js';
import { gather } from '../values/pace.js';
import { type Command, collectionName, readPaced } from './operation.js';
import { pipelineRows } from './pipeline-rows.js';
import { queryOf } from './query-options.js';
import { findAsPipeline } from './views.js';

export const count: Command = (operation) => {
  const { db, meter } = operation;
  const name = collectionName(operation);
  return readPaced(operation, function* (reader) {
    const collection = reader.catalog.get(db, name);
    const query = queryOf(operation, 'query', collection);
    if (collection === undefined) {
      compileFilter(query.filter, query);
      return { n: 0 };
    }
    if (collection.options['viewOn'] === undefined) {
      const { columns } = operation.engine;
      return { n: yield* countQuery(reader, collection, { ...query, columns }, meter) };
    }
    const rows = pipelineRows(operation, reader, name, [...findAsPipeline(query, {}), { $count: 'n' }]);
    const [row] = yield* gather(rows);
    return { n: row === undefined ? 0 : decodeDocument(row)['n'] };
  });
};

import type { Document } from 'bson';
import { fail } from '../errors.js';
import { compileFilter } from '../matching/index.js';
import { runQuery } from '../planner/run-query.js';
import type { Reader } from '../storage/view.js';
import { decodeDocument, hasher, isDocument, member } from '../values/index.js';
import { mapFlow, PAUSE, type Pause } from '../values/pace.js';
import { isArrayIndex } from '../values/paths.js';
import { type Command, collectionName, type Operation, readPaced } from './operation.js';
import { pipelineRows } from './pipeline-rows.js';
import { queryOf } from './query-options.js';
import { findAsPipeline } from './views.js';

function* documentsOf(operation: Operation, reader: Reader, name: string): Generator<Document | Pause> {
  const { body, db, meter } = operation;
  const collection = reader.catalog.get(db, name);
  if (collection === undefined) return;
  const query = queryOf(body, 'query', collection);
  if (collection.options['viewOn'] !== undefined) {
    const rows = pipelineRows(operation, reader, name, findAsPipeline(query, {}));
    yield* mapFlow(rows, decodeDocument);
    return;
  }
  yield* mapFlow(runQuery(reader, collection, query, meter), ({ bytes }) => decodeDocument(bytes));
}

/** The values that stand at a path, through arrays; an array at its end stands for its elements. */
function* presentValues(value: unknown, path: readonly string[]): Generator<unknown> {
  const [name, ...rest] = path;
  if (name === undefined) {
    if (Array.isArray(value)) yield* value;
    else if (value !== undefined) yield value;
  } else if (isDocument(value)) yield* presentValues(member(value, name), rest);
  else if (Array.isArray(value)) {
    if (isArrayIndex(name)) yield* presentValues(value[Number(name)], rest);
    else for (const item of value) if (isDocument(item)) yield* presentValues(item, path);
  }
}

export const distinct: Command = (operation) => {
  const { body, db } = operation;
  const name = collectionName(operation);
  const key: string = body['key'];
  if (key.includes('\0')) fail(31032, 'Key field cannot contain an embedded null byte');
  return readPaced(operation, function* (reader) {
    const query = queryOf(body, 'query', reader.catalog.get(db, name));
    compileFilter(query.filter, query);
    const { collation } = query;
    const hash = hasher(collation);
    const path = key.split('.');
    const values = new Map<unknown, unknown>();
    for (const document of documentsOf(operation, reader, name)) {
      if (document === PAUSE) {
        yield PAUSE;
        continue;
      }
      for (const value of presentValues(document, path)) {
        const id = hash(value);
        if (!values.has(id)) values.set(id, value);
      }
    }
    return { values: [...values.values()] };
  });
};

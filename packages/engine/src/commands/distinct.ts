import { fail } from '../errors.js';
import { compileFilter } from '../matching/index.js';
import { choosePlan } from '../planner/choose-plan.js';
import { valuesOfPlan } from '../planner/run-query.js';
import type { Reader } from '../storage/view.js';
import { documentReader } from '../values/byte-document.js';
import { hasher, isDocument, member } from '../values/index.js';
import { PAUSE, type Pause } from '../values/pace.js';
import { isArrayIndex, rootOf } from '../values/paths.js';
import { type Shortcuts, use } from '../values/shortcuts.js';
import { type Command, collectionName, type Operation, readPaced } from './operation.js';
import { pipelineRows } from './pipeline-rows.js';
import { queryOf } from './query-options.js';
import { findAsPipeline } from './views.js';

/** The values at a key of the matching documents; they may repeat. */
function* valuesOf(
  operation: Operation,
  reader: Reader,
  name: string,
  key: string,
): Generator<unknown | Pause> {
  const { db, meter } = operation;
  const collection = reader.catalog.get(db, name);
  if (collection === undefined) return;
  const query = { ...queryOf(operation, 'query', collection), columns: operation.engine.columns };
  const valuesAt = valuesReader(key, query.shortcuts);
  if (collection.options['viewOn'] !== undefined) {
    const rows = pipelineRows(operation, reader, name, findAsPipeline(query, {}));
    for (const row of rows) {
      if (row === PAUSE) yield PAUSE;
      else yield* valuesAt(row);
    }
    return;
  }
  const plan = choosePlan(reader, collection, query);
  yield* valuesOfPlan({ reader, meter, valuesOf: valuesAt }, plan, query, key);
}

/** The values at a path, through arrays; an array at its end means its elements. */
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

/** Creates a reader for the values at a path of stored documents. */
export function valuesReader(key: string, shortcuts: Shortcuts): (bytes: Buffer) => Iterable<unknown> {
  const path = key.split('.');
  const read = documentReader(use(shortcuts, 'partialDecoding') ? new Set([rootOf(key)]) : undefined);
  return (bytes) => presentValues(read(bytes), path);
}

export const distinct: Command = (operation) => {
  const { body, db } = operation;
  const name = collectionName(operation);
  const key: string = body['key'];
  if (key.includes('\0')) fail(31032, 'Key field cannot contain an embedded null byte');
  return readPaced(operation, function* (reader) {
    const query = queryOf(operation, 'query', reader.catalog.get(db, name));
    compileFilter(query.filter, query);
    const hash = hasher(query.collation);
    const values = new Map<unknown, unknown>();
    for (const value of valuesOf(operation, reader, name, key)) {
      if (value === PAUSE) {
        yield PAUSE;
        continue;
      }
      const id = hash(value);
      if (!values.has(id)) values.set(id, value);
    }
    return { values: [...values.values()] };
  });
};

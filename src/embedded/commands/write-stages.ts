import type { Document } from 'bson';
import { Long } from 'bson';
import { fail } from '../errors.js';
import { encodeDocument } from '../storage/encode.js';
import { insertRecord, prepareDocument } from '../storage/records.js';
import { decodeDocument, isDocument } from '../values/index.js';
import { pipelineRows } from './aggregate.js';
import { createCollection } from './collections.js';
import { type MergeOptions, mergeInto } from './merge-into.js';
import { checkName, type Operation, read, refuseInTransaction } from './operation.js';

export const isWriteStage = (stage: Document): boolean => '$out' in stage || '$merge' in stage;

interface Target {
  readonly db: string;
  readonly name: string;
}

function targetOf(operation: Operation, into: unknown): Target {
  const target = isDocument(into)
    ? { db: String(into['db'] ?? operation.db), name: String(into['coll']) }
    : { db: operation.db, name: String(into) };
  checkName(target.db, target.name);
  return target;
}

/** `$out`: the target is replaced as a whole in one commit; its indexes stay. */
async function writeOut(operation: Operation, target: Target, documents: readonly Document[]): Promise<void> {
  await operation.engine.writer.run((batch) => {
    const old = batch.catalog.get(target.db, target.name);
    if (old !== undefined) batch.dropCollection(old);
    let collection = createCollection(batch, target.db, target.name, old?.options ?? {});
    if (old !== undefined) {
      const indexes = old.indexes
        .slice(1)
        .map((index) => ({ ...index, table: batch.catalog.newTable(), multikey: [] }));
      collection = { ...collection, indexes: [...collection.indexes, ...indexes] };
      batch.saveCollection(collection);
    }
    for (const given of documents) {
      const { bytes, document } = prepareDocument(encodeDocument(given));
      ({ collection } = insertRecord(batch, collection, bytes, document));
    }
  });
}

function mergeOptions(spec: unknown): MergeOptions & { into: unknown } {
  if (!isDocument(spec))
    return { into: spec, on: ['_id'], whenMatched: 'merge', whenNotMatched: 'insert', variables: {} };
  const { into, on = '_id', whenMatched = 'merge', whenNotMatched = 'insert', let: variables } = spec;
  return { into, on: Array.isArray(on) ? on : [on], whenMatched, whenNotMatched, variables };
}

/** Runs a pipeline that ends in `$out` or `$merge` and stores its results. */
export async function writeResults(
  operation: Operation,
  stages: readonly Document[],
  last: Document,
): Promise<Document> {
  refuseInTransaction(operation);
  const { body, db } = operation;
  const name = typeof body['aggregate'] === 'string' ? body['aggregate'] : '$cmd.aggregate';
  const documents = read(operation, (reader) =>
    [...pipelineRows(operation, reader, name, stages)].map((bytes) => decodeDocument(bytes)),
  );
  if ('$out' in last) {
    await writeOut(operation, targetOf(operation, last['$out']), documents);
  } else {
    const options = mergeOptions(last['$merge']);
    if (options.into === undefined) fail(51178, "$merge requires 'into'");
    const target = targetOf(operation, options.into);
    await operation.engine.writer.run((batch) => mergeInto(batch, target, documents, options, operation));
  }
  return { cursor: { firstBatch: [], id: Long.fromNumber(0), ns: `${db}.${name}` }, ok: 1 };
}

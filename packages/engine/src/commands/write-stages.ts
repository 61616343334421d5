import { type Document, Long } from 'bson';
import { PartlyWritten } from '../errors.js';
import { atOnce, gather } from '../values/pace.js';
import { commit, type Operation, refuseInTransaction } from './operation.js';
import { pipelineRows } from './pipeline-rows.js';
import { collectionNameOf } from './source-stages.js';

const placeOf = (into: unknown, db: string): unknown =>
  typeof into === 'string' ? { db, coll: into } : into;

/** A stage that writes as shown by explain, including its defaults. */
export const describeWrite = (stage: Document, db: string): Document => {
  if ('$out' in stage) return { $out: placeOf(stage['$out'], db) };
  const given = typeof stage['$merge'] === 'string' ? { into: stage['$merge'] } : stage['$merge'];
  const meant = { on: '_id', whenMatched: 'merge', whenNotMatched: 'insert' };
  return { $merge: { ...meant, ...given, into: placeOf(given['into'], db) } };
};

/** Runs a pipeline that ends with `$out` or `$merge`, in one commit. */
export async function writeResults(operation: Operation, stages: readonly Document[]): Promise<Document> {
  refuseInTransaction(operation);
  const { body, db } = operation;
  const name = collectionNameOf(body, 'aggregate');
  const failure = await commit(operation, (batch) => {
    try {
      atOnce(gather(pipelineRows(operation, batch, name, stages)));
    } catch (error) {
      if (error instanceof PartlyWritten) return error.reason;
      throw error;
    }
    return undefined;
  });
  if (failure !== undefined) throw failure;
  return { cursor: { firstBatch: [], id: Long.fromNumber(0), ns: `${db}.${name}` }, ok: 1 };
}

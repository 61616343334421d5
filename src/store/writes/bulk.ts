/** Writes to several collections with one command (`bulkWrite`, MongoDB 8.0). */
import { calculateObjectSize } from 'bson';
import {
  type AnyBulkWriteOperation,
  type ClientSession,
  type Db,
  type Document,
  type MongoClient,
  MongoServerError,
} from 'mongodb';
import { memberOf } from '../../values/once-per.js';
import { bulkOperations, WriteConflict } from '../entries/apply-step.js';
import type { Write } from '../entries/changes.js';
import { OUTBOX, placed } from '../outbox/outbox.js';

/** Maximum size in bytes of a command: it is a document, whose body contains `ops`. */
const MAX_BYTES = 12 * 1024 * 1024;
const MAX_STATEMENTS = 10_000;
/** MongoDB's error code. */
const WRITE_CONFLICT = 112;

export interface Bulk {
  readonly command: Document;
  /** The collection of each statement. */
  readonly collections: readonly string[];
}

/** An operation as a statement of the command. */
function statementOf(collection: number, operation: AnyBulkWriteOperation<Document>): Document {
  if ('insertOne' in operation) return { insert: collection, document: operation.insertOne.document };
  if ('deleteOne' in operation)
    return { delete: collection, filter: operation.deleteOne.filter, multi: false };
  const change = (filter: object, updateMods: object): Document => ({
    update: collection,
    filter,
    updateMods,
    multi: false,
  });
  if ('updateOne' in operation) return change(operation.updateOne.filter, operation.updateOne.update);
  if ('replaceOne' in operation) return change(operation.replaceOne.filter, operation.replaceOne.replacement);
  throw new TypeError(`no statement of a bulk write: ${Object.keys(operation).join()}`);
}

/** A write as one command; null if it is too large. */
export function bulkOf(db: Db, { steps, events }: Write): Bulk | null {
  const namespaces = new Map<string, number>();
  const collections: string[] = [];
  const ops: Document[] = [];
  const add = (collection: string, operation: AnyBulkWriteOperation<Document>): void => {
    collections.push(collection);
    ops.push(
      statementOf(
        memberOf(namespaces, collection, () => namespaces.size),
        operation,
      ),
    );
  };
  for (const step of steps) for (const operation of bulkOperations(step)) add(step.collection, operation);
  for (const event of events) add(OUTBOX, { insertOne: { document: placed(event) } });
  const nsInfo = [...namespaces.keys()].map((name) => ({ ns: `${db.databaseName}.${name}` }));
  const command = { bulkWrite: 1, ops, nsInfo, ordered: true, errorsOnly: true };
  if (ops.length > MAX_STATEMENTS || calculateObjectSize(command) > MAX_BYTES) return null;
  return { command, collections };
}

/** Throws `WriteConflict` if a statement matches nothing, and the server's error if it is refused. */
export async function sendBulk(
  client: MongoClient,
  { command, collections }: Bulk,
  session: ClientSession,
): Promise<void> {
  const { cursor, nErrors, nInserted, nMatched, nDeleted } = await client
    .db('admin')
    .command(command, { session, ignoreUndefined: true });
  const [error]: readonly Document[] = cursor.firstBatch;
  if (nErrors > 0 && error) {
    const { idx, ok, n, ...details } = error;
    // Some servers report a conflict like this instead of failing the command.
    const errorLabels = details['code'] === WRITE_CONFLICT ? ['TransientTransactionError'] : [];
    throw new MongoServerError({ ...details, errorLabels, message: details['errmsg'] });
  }
  if (nInserted + nMatched + nDeleted !== collections.length) throw new WriteConflict(collections[0] ?? '');
}

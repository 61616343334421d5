import type { Long } from 'bson';
import { fail } from '../errors.js';
import { hasRow, nextBatch } from './cursor-reply.js';
import { apiOf, type Command, checkName } from './operation.js';

const DEFAULT_WAIT = 1000;

export const getMore: Command = async ({ engine, body, db, connection }) => {
  const id: Long = body['getMore'];
  // Cursors without a collection, such as those for the changes of a database, have reserved names.
  if (!String(body['collection']).startsWith('$cmd.')) checkName(db, body['collection']);
  const cursor = engine.cursors.get(id);
  if (cursor.ns !== `${db}.${body['collection']}`) {
    fail(
      'Unauthorized',
      `Requested getMore on namespace '${db}.${body['collection']}', but cursor belongs to a different namespace ${cursor.ns}`,
    );
  }
  if (cursor.meter.api !== apiOf(body))
    fail('APIMismatchError', 'getMore must have the API parameters of the command that opened the cursor');
  if (cursor.wait === undefined && body['maxTimeMS'] !== undefined)
    fail('BadValue', 'cannot set maxTimeMS on getMore command for a non-awaitData cursor');
  if (cursor.busy) fail('ConflictingOperationInProgress', `cursor id ${id} is already in use`);
  cursor.busy = true;
  cursor.lastUsed = Date.now();
  try {
    cursor.meter.checkEnd();
    cursor.meter.restart(0, connection.closed);
    if (cursor.wait !== undefined && !(await hasRow(cursor))) {
      const until = Date.now() + (body['maxTimeMS'] === undefined ? DEFAULT_WAIT : Number(body['maxTimeMS']));
      for (let left = until - Date.now(); left > 0 && !connection.closed.aborted; left = until - Date.now()) {
        await cursor.wait(left);
        if (await hasRow(cursor)) break;
      }
    }
    return await nextBatch(engine, id, cursor, body['batchSize']);
  } catch (error) {
    engine.cursors.finish(id, cursor);
    throw error;
  } finally {
    cursor.busy = false;
  }
};

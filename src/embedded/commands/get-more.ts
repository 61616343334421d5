import { fail } from '../errors.js';
import { hasRow, nextBatch } from './cursor-reply.js';
import type { Command } from './operation.js';
import { wholeNumber } from './query-options.js';

const DEFAULT_WAIT = 1000;

export const getMore: Command = async ({ engine, body, db, connection }) => {
  const id = body['getMore'];
  const cursor = engine.cursors.get(id);
  if (cursor.ns !== `${db}.${body['collection']}`) {
    fail(
      'Unauthorized',
      `Requested getMore on namespace '${db}.${body['collection']}', but cursor belongs to a different namespace ${cursor.ns}`,
    );
  }
  if (cursor.busy) fail('ConflictingOperationInProgress', `cursor id ${id} is already in use`);
  cursor.busy = true;
  cursor.lastUsed = Date.now();
  try {
    if (cursor.wait !== undefined && !hasRow(cursor)) {
      const until = Date.now() + (wholeNumber(body, 'maxTimeMS') ?? DEFAULT_WAIT);
      for (let left = until - Date.now(); left > 0 && !connection.closed.aborted; left = until - Date.now()) {
        await cursor.wait(left);
        if (hasRow(cursor)) break;
      }
    } else {
      cursor.meter.restart(wholeNumber(body, 'maxTimeMS'));
    }
    return nextBatch(engine, id, cursor, wholeNumber(body, 'batchSize'));
  } catch (error) {
    engine.cursors.kill(id);
    throw error;
  } finally {
    cursor.busy = false;
  }
};

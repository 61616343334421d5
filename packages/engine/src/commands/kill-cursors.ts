import { Long } from 'bson';
import { fail } from '../errors.js';
import { bsonTypeOf } from '../values/index.js';
import type { Command } from './operation.js';

export const killCursors: Command = ({ engine, body }) => {
  if (typeof body['killCursors'] !== 'string')
    fail('BadValue', `collection name has invalid type ${bsonTypeOf(body['killCursors'])}`);
  const ids = (body['cursors'] as Long[] | undefined) ?? [];
  const wrong = ids.findIndex((id) => bsonTypeOf(id) !== 'long');
  if (wrong >= 0)
    fail(
      'TypeMismatch',
      `BSON field 'killCursors.cursors.${wrong}' is the wrong type '${bsonTypeOf(ids[wrong])}', expected type 'long'`,
    );
  const cursorsKilled: Long[] = [];
  const cursorsNotFound: Long[] = [];
  for (const id of ids) {
    (engine.cursors.kill(id) ? cursorsKilled : cursorsNotFound).push(Long.fromString(id.toString()));
  }
  return { cursorsKilled, cursorsNotFound, cursorsAlive: [], cursorsUnknown: [] };
};

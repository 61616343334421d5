import { Long } from 'bson';
import type { Command } from './operation.js';

export const killCursors: Command = ({ engine, body }) => {
  const ids = (body['cursors'] as (Long | number)[] | undefined) ?? [];
  const cursorsKilled: Long[] = [];
  const cursorsNotFound: Long[] = [];
  for (const id of ids) {
    (engine.cursors.kill(id) ? cursorsKilled : cursorsNotFound).push(Long.fromString(id.toString()));
  }
  return { cursorsKilled, cursorsNotFound, cursorsAlive: [], cursorsUnknown: [] };
};

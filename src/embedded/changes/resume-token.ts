import type { Document, Timestamp } from 'bson';
import { EngineError, fail } from '../errors.js';
import { OPLOG_TABLE, tableRange } from '../storage/layout.js';
import { changeNumber } from '../storage/oplog.js';
import { documentReader } from '../values/byte-document.js';
import type { ChangeSource } from './source.js';

/** The token of a change: its number, as a string that sorts in the order of changes. */
export const resumeToken = (number: number): Document => ({
  _data: number.toString(16).padStart(16, '0').toUpperCase(),
});

function numberOf(token: unknown): number {
  const data = (token as Document | null)?.['_data'];
  if (typeof data !== 'string' || !/^[0-9A-F]{16}$/i.test(data)) {
    return fail('FailedToParse', 'the resume token is not one of this engine');
  }
  return Number.parseInt(data, 16);
}

function firstKept(engine: ChangeSource): number {
  for (const key of engine.store.getKeys({ ...tableRange(OPLOG_TABLE), limit: 1 })) return changeNumber(key);
  return engine.lastChange + 1;
}

function atTime(engine: ChangeSource, time: Timestamp): number {
  const seconds = time.t;
  const read = documentReader(new Set(['t']));
  let before = firstKept(engine) - 1;
  for (const { key, value } of engine.store.getRange(tableRange(OPLOG_TABLE))) {
    if (Math.floor(Number(read(value)['t']) / 1000) >= seconds) break;
    before = changeNumber(key);
  }
  return before;
}

/** The number of the last change that a stream does not show. Throws ChangeStreamHistoryLost. */
export function startOf(engine: ChangeSource, spec: Document): number {
  const token = spec['resumeAfter'] ?? spec['startAfter'];
  if (token !== undefined) {
    const number = numberOf(token);
    if (number + 1 < firstKept(engine)) {
      throw new EngineError(
        'ChangeStreamHistoryLost',
        'Resume of change stream was not possible, as the resume point may no longer be in the oplog.',
        {},
        ['NonResumableChangeStreamError'],
      );
    }
    return number;
  }
  const time = spec['startAtOperationTime'] as Timestamp | undefined;
  return time === undefined ? engine.lastChange : atTime(engine, time);
}

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

/** Throws ChangeStreamHistoryLost: changes after the point from which a stream continues have been removed. */
export function historyLost(): never {
  throw new EngineError(
    'ChangeStreamHistoryLost',
    'Resume of change stream was not possible, as the resume point may no longer be in the oplog.',
    {},
    ['NonResumableChangeStreamError'],
  );
}

/** The last change before a time. Throws ChangeStreamHistoryLost if changes since then may have been removed. */
function atTime(engine: ChangeSource, time: Timestamp): number {
  const seconds = time.t;
  const read = documentReader(new Set(['t']));
  let before: number | undefined;
  for (const { key, value } of engine.store.getRange(tableRange(OPLOG_TABLE))) {
    const number = changeNumber(key);
    const at = Math.floor(Number(read(value)['t']) / 1000);
    if (before === undefined && number > 1 && at > seconds) historyLost();
    before ??= number - 1;
    if (at >= seconds) break;
    before = number;
  }
  return before ?? engine.lastChange;
}

/** The number of the last change that a stream does not show. Throws ChangeStreamHistoryLost. */
export function startOf(engine: ChangeSource, spec: Document): number {
  const token = spec['resumeAfter'] ?? spec['startAfter'];
  if (token !== undefined) {
    const number = numberOf(token);
    // A later number is of a log that is gone, such as one from before a backup was restored.
    if (number + 1 < firstKept(engine) || number > engine.lastChange) historyLost();
    return number;
  }
  const time = spec['startAtOperationTime'] as Timestamp | undefined;
  return time === undefined ? engine.lastChange : atTime(engine, time);
}

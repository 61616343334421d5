import type { Engine } from '../engine.js';
import { OPLOG_TABLE, tableRange } from '../storage/layout.js';
import { changeNumber } from '../storage/oplog.js';
import { documentReader } from '../values/byte-document.js';

/** Changes are kept for a day at most, so that a stream may resume after a night. */
const KEPT_MILLISECONDS = 24 * 3600_000;

const STEP = 2000;
const readTime = documentReader(new Set(['t']));

/** Removes changes older than a day from the oplog. */
export async function expireChanges(engine: Engine, now = Date.now()): Promise<void> {
  for (let more = true; more; ) {
    more = await engine.writer.run((batch) => {
      const old: Buffer[] = [];
      for (const { key, value } of engine.store.getRange({ ...tableRange(OPLOG_TABLE), limit: STEP })) {
        // The last one stays: the next one's number follows it, after a restart too.
        if (changeNumber(key) === engine.lastChange) break;
        if (Number(readTime(value)['t']) > now - KEPT_MILLISECONDS) break;
        old.push(key);
      }
      for (const key of old) batch.remove(key);
      return old.length === STEP;
    });
  }
}

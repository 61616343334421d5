import type { Engine } from '../engine.js';
import { Meter } from '../planner/meter.js';
import { runQuery } from '../planner/run-query.js';
import { deleteRecord, storedRecord } from '../records/records.js';
import type { CollectionMeta } from '../storage/catalog.js';
import { unpaced } from '../values/pace.js';

const STEP = 500;

/** Removes expired documents, using the indexes with `expireAfterSeconds`. */
export async function removeExpired(engine: Engine, now = Date.now()): Promise<void> {
  for (const meta of [...engine.catalog.collections.values()]) {
    for (const { spec } of meta.indexes) {
      const path = Object.keys(spec['key'])[0] as string;
      const seconds = spec['expireAfterSeconds'];
      if (seconds !== undefined)
        await removeBefore(engine, meta, path, new Date(now - Number(seconds) * 1000));
    }
  }
}

async function removeBefore(engine: Engine, meta: CollectionMeta, path: string, limit: Date): Promise<void> {
  for (let more = true; more; ) {
    more = await engine.writer.run((batch) => {
      const current = batch.catalog.get(meta.db, meta.name);
      if (current === undefined) return false;
      const found = [
        ...unpaced(
          runQuery(
            batch,
            current,
            { filter: { [path]: { $lt: limit } }, limit: STEP, shortcuts: engine.settings.shortcuts },
            new Meter(0),
          ),
        ),
      ];
      for (const record of found) deleteRecord(batch, current, storedRecord(record));
      return found.length === STEP;
    });
  }
}

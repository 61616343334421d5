import type { Engine } from '../engine.js';
import { doomedKey } from '../storage/catalog.js';
import { tableRange } from '../storage/layout.js';
import { expireChanges } from './expire-changes.js';
import { removeExpired } from './remove-expired.js';

const SWEEP_EVERY = 60_000;
const PURGE_STEP = 2000;

/**
 * Empties the tables of dropped collections and indexes in several commits, so that other writes do not wait
 * long.
 */
async function purge(engine: Engine, stopped: () => boolean): Promise<void> {
  for (const table of [...engine.catalog.doomed]) {
    for (let left = true; left && !stopped(); ) {
      left = await engine.writer.run((batch) => {
        const { start, end } = tableRange(table);
        const keys = [...engine.store.getKeys({ start, end, limit: PURGE_STEP })];
        for (const key of keys) batch.remove(key);
        if (keys.length < PURGE_STEP) batch.remove(doomedKey(table));
        return keys.length === PURGE_STEP;
      });
    }
    engine.catalog.doomed.delete(table);
  }
}

/**
 * Starts the background work: dropped tables, expired documents, changes, sessions and cursors. Returns a function that stops it.
 */
export function startHousekeeping(engine: Engine): () => void {
  let stopped = false;
  let busy = false;
  const guarded = async (work: () => Promise<void>): Promise<void> => {
    if (busy || stopped) return;
    busy = true;
    // A full disk or a shutdown stops the sweep; the next one tries again.
    await work().catch(() => undefined);
    busy = false;
  };
  const purgeTimer = setInterval(() => {
    if (engine.catalog.doomed.size > 0) void guarded(() => purge(engine, () => stopped));
    engine.sessions.expire(Date.now(), engine.settings.limits.transactionSeconds);
  }, 1000);
  const sweepTimer = setInterval(() => {
    engine.cursors.expire(Date.now());
    void guarded(async () => {
      await removeExpired(engine);
      await expireChanges(engine);
      await engine.sessions.forgetOld();
    });
  }, SWEEP_EVERY);
  purgeTimer.unref();
  sweepTimer.unref();
  return () => {
    stopped = true;
    clearInterval(purgeTimer);
    clearInterval(sweepTimer);
  };
}

import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/** Bytes in use below which nothing is collected ahead of time. */
const SMALL = 128 * 1024 * 1024;
/** By how much the heap may grow over what the last collection has left. */
const GROWTH = 1.5;
/** Of the heap that there may be: with more in use the engine is short of memory. */
export const FULL = 0.85;
/** The same for what only reads: what many ask for at the same time leaves room for a write, an import or an index. */
export const FULL_FOR_READS = 0.3;

/** In use beyond which reads that take long go on one by one. */
const CROWDED = 0.1;

let collect: (() => void) | undefined;
let left = 0;
let collectedAt = 0;
/** Milliseconds for which the last collection counts, unless the heap has grown by half since. */
const COUNTS_FOR = 2000;

/** A thread of its own may be stopped to collect its garbage; in the caller's that is the caller's matter. */
function collectNow(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
}

/**
 * Whether more than a share of the heap is in use. Queries make garbage faster than V8, which collects beside them, takes it away: where the heap
 * has grown by half, or passes the share, it is collected at once, and what is left counts. In the caller's thread, whose heap holds more
 * than the engine's, only what is full for everybody counts.
 */
export function isHeapFull(share = FULL): boolean {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  if (isMainThread) return used > limit * FULL;
  const isSmall = used < Math.max(SMALL, left * GROWTH);
  if (isSmall && used <= limit * share) return false;
  if (isSmall && performance.now() - collectedAt < COUNTS_FOR) return left > limit * share;
  collectNow();
  collectedAt = performance.now();
  left = getHeapStatistics().used_heap_size;
  return left > limit * share;
}

/**
 * Whether so much is in use that several reads must not grow beside each other. Garbage counts: what goes on one by one takes no longer in
 * all. Never in the caller's thread, whose heap holds more than the engine's.
 */
export function isHeapCrowded(): boolean {
  if (isMainThread) return false;
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used > limit * CROWDED;
}

import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/** The number of bytes in use below which nothing is collected ahead of time. */
const SMALL = 128 * 1024 * 1024;
/** How much the heap may grow beyond what the last collection left. */
const GROWTH = 1.5;
/** The share of the maximum heap size beyond which the engine is short of memory. */
export const FULL = 0.85;
/** The same for reads: they leave room for a write, an import or an index. */
export const FULL_FOR_READS = 0.3;

/** The share in use beyond which long reads continue one at a time. */
const CROWDED = 0.1;

let collect: (() => void) | undefined;
let left = 0;
let collectedAt = 0;
/** Milliseconds for which the last collection counts, unless the heap has grown by half since. */
const COUNTS_FOR = 2000;

/** The engine's own thread may be stopped to collect garbage; the caller's thread may not. */
function collectNow(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
}

/**
 * Whether more than a share of the heap is in use. Queries create garbage faster than V8's concurrent collector removes it: if
 * the heap has grown by half, or exceeds the share, it is collected at once, and what is left counts. In the caller's thread,
 * whose heap contains more than the engine's data, only a heap that is full for everyone counts.
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
 * Whether so much is in use that several reads must not grow at the same time. Garbage counts: running one at a time takes no
 * longer in total. Never in the caller's thread, whose heap contains more than the engine's data.
 */
export function isHeapCrowded(): boolean {
  if (isMainThread) return false;
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used > limit * CROWDED;
}

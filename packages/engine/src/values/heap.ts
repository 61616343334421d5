import { constants, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { isMainThread } from 'node:worker_threads';

/** The share of the maximum heap size beyond which the engine is short of memory. */
export const FULL = 0.85;
/** The same for reads: they leave room for a write, an import or an index. */
export const FULL_FOR_READS = 0.3;

/** The share in use beyond which long reads continue one at a time. */
const CROWDED = 0.1;

/** Watches the heap of the engine's own thread. */
class Heap {
  /** Bytes in use after the last full garbage collection. */
  left = 0;

  constructor() {
    new PerformanceObserver((list) => {
      const isFull = list.getEntries().some((entry) => kindOf(entry) === constants.NODE_PERFORMANCE_GC_MAJOR);
      if (isFull) this.left = getHeapStatistics().used_heap_size;
    }).observe({ entryTypes: ['gc'] });
  }
}

/** The kind of a garbage collection, of which Node's types do not know. */
function kindOf(entry: object): unknown {
  const detail = 'detail' in entry ? entry.detail : undefined;
  return typeof detail === 'object' && detail !== null && 'kind' in detail ? detail.kind : undefined;
}

const own = isMainThread ? undefined : new Heap();

/**
 * Whether more than a share of the heap is in use, as of V8's last full collection: garbage does not count, until the heap is
 * nearly full. In the caller's thread, whose heap contains more than the engine's data, only that counts.
 */
export function isHeapFull(share = FULL): boolean {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used > limit * FULL || (own !== undefined && own.left > limit * share);
}

/**
 * Whether so much is in use that several reads must not grow at the same time. Garbage counts: running one at a time takes no
 * longer in total. Never in the caller's thread, whose heap contains more than the engine's data.
 */
export function isHeapCrowded(): boolean {
  if (own === undefined) return false;
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used > limit * CROWDED;
}

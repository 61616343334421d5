import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';

const HEAP = JSON.stringify(new URL('../src/values/heap.ts', import.meta.url).href);
/**
 * Reads three times, with little in use, with much, and again at once; reports how often a garbage collection was
 * forced.
 */
const PROGRAM = `
  import('tsx/esm/api').then(async ({ register }) => {
    register();
    const { isHeapFull } = await import(${HEAP});
    const { constants, PerformanceObserver } = require('node:perf_hooks');
    const { parentPort } = require('node:worker_threads');
    let forced = 0;
    new PerformanceObserver((list) => {
      for (const { detail } of list.getEntries())
        if (detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) forced += 1;
    }).observe({ entryTypes: ['gc'] });
    const seen = [];
    const ask = async () => {
      const full = isHeapFull();
      // A garbage collection is reported in the next turn, and to its observer in the one after.
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
      seen.push([full, forced]);
    };
    await ask();
    const held = Array.from({ length: 2_500_000 }, (_, n) => ({ n, list: [n] }));
    await ask();
    await ask();
    parentPort.postMessage({ seen, held: held.length });
  });`;

describe('embedded engine: its heap', () => {
  it('is collected once it has grown, a single time', async () => {
    const worker = new Worker(PROGRAM, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 1024 } });
    const [{ seen }] = await once(worker, 'message');
    await worker.terminate();
    expect(seen).to.deep.equal([
      [false, 0],
      [false, 1],
      [false, 1],
    ]);
  });
});

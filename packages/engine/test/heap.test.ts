import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';

const HEAP = JSON.stringify(new URL('../src/values/heap.ts', import.meta.url).href);
/** Asks while much garbage is made, and while as much is held. */
const PROGRAM = `
  import('tsx/esm/api').then(async ({ register }) => {
    register();
    const { FULL_FOR_READS, isHeapFull } = await import(${HEAP});
    const { parentPort } = require('node:worker_threads');
    const held = [];
    const seen = { garbage: false, held: false };
    for (const [name, turns] of [['garbage', 100], ['held', 400]]) {
      for (let turn = 0; turn < turns && !seen[name]; turn++) {
        const made = Array.from({ length: 50_000 }, (_, n) => ({ n, list: [n] }));
        if (name === 'held') held.push(made);
        await new Promise((resolve) => setImmediate(resolve));
        seen[name] ||= isHeapFull(FULL_FOR_READS);
      }
    }
    parentPort.postMessage({ seen, held: held.length });
  });`;

describe('embedded engine: its heap', () => {
  it('is full by what is in use, not by garbage', async () => {
    const worker = new Worker(PROGRAM, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 1024 } });
    const [{ seen }] = await once(worker, 'message');
    await worker.terminate();
    expect(seen).to.deep.equal({ garbage: false, held: true });
  });
});

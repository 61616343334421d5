import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';

const urlOf = (path: string): string => JSON.stringify(new URL(`../src/${path}.ts`, import.meta.url).href);
/**
 * In a thread with a heap of 800 MB: two reads of twenty turns each and a short one later, with little in use and with
 * much.
 */
const PROGRAM = `
  import('tsx/esm/api').then(async ({ register }) => {
    register();
    const { drive, PAUSE } = await import(${urlOf('values/pace')});
    const { Meter } = await import(${urlOf('planner/meter')});
    const { parentPort } = require('node:worker_threads');
    const read = (name, turns, order) => {
      const by = new Meter(undefined);
      by.onlyReads = true;
      return drive(by, (function* () {
        for (let i = 0; i < turns; i++) yield PAUSE;
        order.push(name);
      })());
    };
    const orderOf = async () => {
      const order = [];
      const long = [read('first', 30, order), read('second', 25, order)];
      for (let i = 0; i < 12; i++) await new Promise(setImmediate);
      await Promise.all([...long, read('short', 2, order)]);
      return order;
    };
    const roomy = await orderOf();
    const held = Array.from({ length: 1_000_000 }, (_, n) => ({ n, list: [n] }));
    parentPort.postMessage({ roomy, crowded: await orderOf(), held: held.length });
  });`;

describe('embedded engine: reads when memory is low', () => {
  it('run one after the other if they are long, while short ones run next to them', async () => {
    const worker = new Worker(PROGRAM, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 800 } });
    const [{ roomy, crowded }] = await once(worker, 'message');
    await worker.terminate();
    expect(roomy).to.deep.equal(['short', 'second', 'first']);
    expect(crowded).to.deep.equal(['short', 'first', 'second']);
  });
});

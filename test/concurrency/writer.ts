/**
 * The second process: `writer.ts <uri> <name>`. Runs the orders that its parent sends and replies to each with a
 * report.
 */
import { settled } from '../support/engine.js';
import { type Orders, runCalls } from './calls.js';
import { openWriter } from './open.js';

const [uri = '', name = ''] = process.argv.slice(2);
const opened = await openWriter(uri, name);
process.on('message', async ({ orders, delay }: { orders: Orders; delay: number }) => {
  opened.delay(delay, orders.seed + 1);
  const report = await runCalls(opened.documents, orders);
  await settled(opened.store);
  process.send?.(report);
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');

import { explainError, note } from './cli/output.js';
import { seedOf, serve } from './serve/index.js';
import { printGreeting } from './serve/print-greeting.js';
import { stopWhenAsked } from './serve/stop-when-asked.js';

/** The process: serve the project in this folder until asked to stop, then drain and leave with 0. */
const root = process.cwd();
try {
  const { stop } = await serve({
    root,
    agreed: process.argv.includes('--yes'),
    seed: seedOf(root),
    restores: true,
    print: printGreeting,
  });
  stopWhenAsked(stop);
} catch (error) {
  note(explainError(error));
  process.exit(1);
}

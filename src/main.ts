import { explainError } from './cli/output.js';
import { stopWhenAsked } from './cli/stop-when-asked.js';
import { seedOf, serve } from './serve/index.js';

/** The process: serve the project in this folder until asked to stop, then drain and leave with 0. */
const root = process.cwd();
try {
  stopWhenAsked(await serve({ root, seed: seedOf(root), print: (text) => console.log(text) }));
} catch (error) {
  console.error(explainError(error));
  process.exit(1);
}

import { parseArgs } from 'node:util';
import { explainError, note } from './cli/output.js';
import { run, workersOf } from './serve/run.js';
import { seedOf } from './serve/seed-of.js';

/** The process: serve the project in this folder until asked to stop, then drain and leave with 0. */
const root = process.cwd();
try {
  const { values } = parseArgs({
    options: { yes: { type: 'boolean' }, workers: { type: 'string' } },
    strict: false,
  });
  const { env } = process;
  const workers = workersOf(typeof values.workers === 'string' ? values.workers : undefined, env);
  await run({ root, env, workers, agreed: values.yes === true, ignoreCode: null, seed: seedOf(root) });
} catch (error) {
  note(explainError(error));
  process.exit(1);
}

import { run, workersOf } from './serve/run.js';
import { seedOf } from './serve/seed-of.js';
import { explainError, note } from './terminal/output.js';

/**
 * The process: serve the project in this folder until asked to stop, then drain and leave with 0. With arguments it is
 * `mangrove serve`, whose options they are; a start without them loads no command line.
 */
const args = process.argv.slice(2);
const root = process.cwd();
try {
  if (args.length > 0) {
    const { run: runCommand } = await import('./cli/program.js');
    process.exitCode = await runCommand(['serve', ...args]);
  } else {
    const { env } = process;
    await run({
      root,
      env,
      workers: workersOf(undefined, env),
      agreed: false,
      ignoreCode: null,
      seed: seedOf(root),
    });
  }
} catch (error) {
  note(explainError(error));
  process.exit(1);
}

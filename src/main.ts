import { run, workersOf } from './serve/run.js';
import { seedOf } from './serve/seed-of.js';
import { explainError, note } from './terminal/output.js';

/**
 * The process entry point: serves the project in this folder until asked to stop, then drains and exits with
 * 0. Arguments are options of `mangrove serve`; without any, the command line is not loaded.
 */
const args = process.argv.slice(2);
const root = process.cwd();
try {
  if (args.length > 0) {
    const { runCommandLine: runCommand } = await import('./cli/program.js');
    process.exitCode = await runCommand(['serve', ...args]);
  } else {
    const { env } = process;
    await run({
      root,
      env,
      workers: workersOf(undefined, env),
      agreed: false,
      ignoreCode: null,
      seed: await seedOf(root),
    });
  }
} catch (error) {
  note(explainError(error));
  process.exit(1);
}

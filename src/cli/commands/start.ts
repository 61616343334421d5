import type { Command } from 'commander';
import { seedOf } from '../../serve/seed-of.js';
import { globalsOf } from '../globals.js';

interface Options {
  readonly port?: string;
  readonly host?: string;
  readonly seed: boolean;
  readonly ignoreCode?: true | readonly string[];
  readonly workers?: string;
}

/** `mangrove serve`: what `npm start` does. */
export function register(program: Command): void {
  program
    .command('serve')
    .alias('start')
    .description('serve the project until Ctrl-C')
    .option('--port <number>', 'listen here; the environment and config/server otherwise')
    .option('--host <address>', 'listen on this address only')
    .option(
      '--ignore-code [names...]',
      'serve closed routes without the code that closes them: all, or these',
    )
    .option('--workers <number>', 'processes that share the port (default: WEB_CONCURRENCY, else 1)')
    .option('--no-seed', 'leave an empty database empty')
    .addHelpText(
      'after',
      `
The first start in an empty database runs the project's seed (scripts/seed.js, or the files of seeds/) once and prints an API token.
Without MONGODB_URI an engine in this process keeps everything under .data/.
Ctrl-C or SIGTERM lets running requests end and leaves with 0; a second one leaves at once.
With --workers a process that ends is started again, and SIGHUP replaces all of them, one after the other, without a failed request.

Examples:
  $ mangrove serve --port 8080
  $ mangrove --root ../my-strapi serve
  $ mangrove serve --ignore-code global::is-owner   serve what that policy closes, without it
  $ mangrove serve --workers 4                       four processes, one port, one engine
  $ MONGODB_URI=mongodb://localhost:27017/blog mangrove serve`,
    )
    .action(async (options: Options, command: Command) => {
      // Only this command needs the server; the others start faster without it.
      const { run, workersOf } = await import('../../serve/run.js');
      const { root, yes } = globalsOf(command);
      const env = {
        ...process.env,
        ...(options.port !== undefined && { PORT: options.port }),
        ...(options.host !== undefined && { HOST: options.host }),
      };
      await run({
        root,
        env,
        agreed: yes,
        ignoreCode: options.ignoreCode ?? null,
        seed: options.seed ? seedOf(root) : null,
        workers: workersOf(options.workers, process.env),
      });
    });
}

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
    .option('--port <number>', 'the port to listen on (default: from the environment or config/server)')
    .option('--host <address>', 'listen on this address only')
    .option(
      '--ignore-code [names...]',
      'serve routes without the project code that closes them: all of it, or these names',
    )
    .option(
      '--workers <number>',
      'number of processes sharing the port (default: WEB_CONCURRENCY, otherwise 1)',
    )
    .option('--no-seed', 'leave an empty database empty')
    .addHelpText(
      'after',
      `
The first start with an empty database runs the project's seed (scripts/seed.js, or the files in seeds/) once and prints an API token.
Without MONGODB_URI, an engine in this process keeps all data in .data/.
Ctrl-C or SIGTERM lets requests in progress finish and exits with 0; a second one exits at once.
With --workers, a process that exits is restarted, and SIGHUP replaces them one after another without failing a request.

Examples:
  $ mangrove serve --port 8080
  $ mangrove --root ../my-strapi serve
  $ mangrove serve --ignore-code global::is-owner   serve the routes that this policy closes
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

import { seedOf } from '../../serve/seed-of.js';
import { type CommandLine, command } from '../command.js';

interface Options {
  readonly port?: string;
  readonly host?: string;
  readonly seed: boolean;
  readonly ignoreCode?: true | readonly string[];
  readonly workers?: string;
}

/** `mangrove serve`: what `npm start` does. */
export const serveCommand = command({
  name: 'serve',
  alias: 'start',
  does: 'serve the project until Ctrl-C',
  options: [
    ['--port <number>', 'the port to listen on (default: from the environment or config/server)'],
    ['--host <address>', 'listen on this address only'],
    [
      '--ignore-code [names...]',
      'serve routes without the project code that closes them: all of it, or these names',
    ],
    ['--workers <number>', 'number of processes sharing the port (default: WEB_CONCURRENCY, otherwise 1)'],
    ['--no-seed', 'leave an empty database empty'],
  ],
  help: `
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
  async run({ root, yes, options: { port, host, seed, ignoreCode, workers } }: CommandLine<Options>) {
    // Only this command needs the server; other commands start faster without loading it.
    const { run, workersOf } = await import('../../serve/run.js');
    const given = { ...(port !== undefined && { PORT: port }), ...(host !== undefined && { HOST: host }) };
    await run({
      root,
      env: { ...process.env, ...given },
      agreed: yes,
      ignoreCode: ignoreCode ?? null,
      seed: seed ? await seedOf(root) : null,
      workers: workersOf(workers, process.env),
    });
    return undefined;
  },
});

import { note } from '../../terminal/output.js';
import { type CommandLine, command } from '../command.js';

interface Options {
  readonly port?: string;
  readonly host?: string;
  readonly seed: boolean;
  readonly types?: string;
  readonly watch?: readonly string[];
}

/** `mangrove dev`: serves the project and reloads it after changes. */
export const dev = command({
  name: 'dev',
  does: 'serve the project, and reload it whenever schemas, config, code or .env change',
  options: [
    ['--port <number>', 'the port to listen on (default: from the environment or config/server)'],
    ['--host <address>', 'listen on this address only'],
    ['--types <file>', 'keep the TypeScript types of the content up to date in this file of the project'],
    ['--watch <paths...>', 'further files and folders to watch'],
    ['--no-seed', 'leave an empty database empty'],
  ],
  help: `
After a change, the server is ended and started again. If the new version cannot be served, it says why and waits until files change; after
"mangrove migrate up", save one of them.

Examples:
  $ mangrove dev
  $ mangrove dev --port 8080 --types src/content.d.ts`,
  async run({ root, yes, options }: CommandLine<Options>) {
    const { serveAndReload } = await import('../../dev/reload.js');
    const { stopOnSignal } = await import('../../serve/stop-on-signal.js');
    const { port, host, seed, types = null, watch = [] } = options;
    const env = { ...(port !== undefined && { PORT: port }), ...(host !== undefined && { HOST: host }) };
    const { stop } = await serveAndReload({ root, agreed: yes, env, seed, types, watch, say: note });
    stopOnSignal(stop);
    return undefined;
  },
});

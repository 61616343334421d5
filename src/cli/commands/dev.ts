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
Each reload reports what changes for clients (+ added, - removed, ~ changed) and for stored content. If the new version cannot be
served, it says why and the previous version stays up. A file written by mangrove types is kept up to date.
The embedded engine keeps running throughout.

Examples:
  $ mangrove dev
  $ mangrove dev --port 8080 --types src/content.d.ts`,
  async run({ root, yes, options }: CommandLine<Options>) {
    const { supervise } = await import('../../dev/supervise.js');
    const { stopOnSignal } = await import('../../serve/stop-on-signal.js');
    const { port = null, host = null, seed, types = null, watch = [] } = options;
    const { stop } = await supervise({ root, agreed: yes, seed, port, host, types, watch, say: note });
    stopOnSignal(stop);
    return undefined;
  },
});

import type { Command } from 'commander';
import { note } from '../../terminal/output.js';
import { globalsOf } from '../globals.js';

interface Options {
  readonly port?: string;
  readonly host?: string;
  readonly seed: boolean;
  readonly types?: string;
  readonly watch?: readonly string[];
}

/** `mangrove dev`: serves, and reloads what changes. */
export function register(program: Command): void {
  program
    .command('dev')
    .description('serve the project, and reload it whenever schemas, config, code or .env change')
    .option('--port <number>', 'listen here; the environment and config/server otherwise')
    .option('--host <address>', 'listen on this address only')
    .option('--types <file>', 'keep the TypeScript types of the content in this file of the project')
    .option('--watch <paths...>', 'further files and folders to watch')
    .option('--no-seed', 'leave an empty database empty')
    .addHelpText(
      'after',
      `
Each change is reported by what it means for clients (+ added, - removed, ~ changed) and for stored content. What cannot be served
is reported too, and the previous version stays up. A file that mangrove types has written is kept up to date.
The embedded engine runs on through all of it.

Examples:
  $ mangrove dev
  $ mangrove dev --port 8080 --types src/content.d.ts`,
    )
    .action(async ({ port, host, seed, types, watch }: Options, command: Command) => {
      const { supervise } = await import('../../dev/supervise.js');
      const { stopWhenAsked } = await import('../../serve/stop-when-asked.js');
      const { root, yes } = globalsOf(command);
      const { stop } = await supervise({
        root,
        agreed: yes,
        seed,
        port: port ?? null,
        host: host ?? null,
        types: types ?? null,
        watch: watch ?? [],
        say: note,
      });
      stopWhenAsked(stop);
    });
}

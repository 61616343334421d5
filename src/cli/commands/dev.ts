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
    .option('--port <number>', 'the port to listen on (default: from the environment or config/server)')
    .option('--host <address>', 'listen on this address only')
    .option(
      '--types <file>',
      'keep the TypeScript types of the content up to date in this file of the project',
    )
    .option('--watch <paths...>', 'further files and folders to watch')
    .option('--no-seed', 'leave an empty database empty')
    .addHelpText(
      'after',
      `
Each reload reports what changes for clients (+ added, - removed, ~ changed) and for stored content. If the new version cannot be
served, it says why and the previous version stays up. A file written by mangrove types is kept up to date.
The embedded engine keeps running throughout.

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

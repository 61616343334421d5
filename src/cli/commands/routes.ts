import type { Command } from 'commander';
import { print, printJson, table } from '../../terminal/output.js';
import { globalsOf } from '../globals.js';
import { loadProjectSchema } from '../project-schema.js';

/** `mangrove routes list`: what the server answers to. */
export function register(program: Command): void {
  program
    .command('routes')
    .description('show the routes of the server')
    .command('list')
    .description('list method, path and the action that each route requires')
    .option('--content', 'only routes of content types')
    .addHelpText(
      'after',
      `
The permissions of a role or a custom token are a list of these actions.

Examples:
  $ mangrove routes list --content
  $ mangrove routes list --json | jq -r '.[] | select(.method == "POST") | .path'`,
    )
    .action(async (options: { content?: boolean }, command: Command) => {
      const { allRoutes } = await import('../../http/routes/all.js');
      const { root, json } = globalsOf(command);
      const parts = await loadProjectSchema(root);
      const rows = allRoutes(parts)
        .map(({ method, path, action, closed }) => ({
          method: method.toUpperCase(),
          path: parts.config.rest.prefix + path,
          action,
          ...(closed && { closed }),
        }))
        .filter(({ action }) => !options.content || action?.startsWith('api::'));
      if (json) printJson(rows);
      else
        print(
          table(
            ['method', 'path', 'action'],
            rows.map((row) => [
              row.method,
              row.path,
              row.closed ? '(closed: its code is not run)' : (row.action ?? '(open to everyone)'),
            ]),
          ),
        );
    });
}

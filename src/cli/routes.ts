import type { Command } from 'commander';
import type { AppDeps } from '../http/deps.js';
import { globalsOf } from './globals.js';
import { print, printJson, table } from './output.js';
import { loadProjectSchema } from './project-schema.js';

/**
 * Stands in for a part that the route tables are handed but do not use before a request comes, so that listing them needs no
 * database.
 */
const unused: unknown = new Proxy(() => unused, { get: () => unused, apply: () => unused });

/** `mangrove routes list`: what the server answers to. */
export function register(program: Command): void {
  program
    .command('routes')
    .description('the addresses of the server')
    .command('list')
    .description('method, path and the action that a role or token needs for it')
    .option('--content', 'only the content types')
    .addHelpText(
      'after',
      `
What a role or a custom token may do is a list of these actions.

Examples:
  $ mangrove routes list --content
  $ mangrove routes list --json | jq -r '.[] | select(.method == "POST") | .path'`,
    )
    .action(async (options: { content?: boolean }, command: Command) => {
      const { allRoutes } = await import('../http/routes/all.js');
      const { root, json } = globalsOf(command);
      const parts = await loadProjectSchema(root);
      const deps = new Proxy(parts, {
        get: (known, name) => Reflect.get(known, name) ?? unused,
      }) as unknown as AppDeps;
      const rows = allRoutes(deps)
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

import { table } from '../../terminal/output.js';
import { type CommandLine, command } from '../command.js';
import { loadProjectSchema } from '../project-schema.js';

const list = command({
  name: 'list',
  does: 'list method, path and the action that each route requires',
  options: [['--content', 'only routes of content types']],
  help: `
The permissions of a role or a custom token are a list of these actions.

Examples:
  $ mangrove routes list --content
  $ mangrove routes list --json | jq -r '.[] | select(.method == "POST") | .path'`,
  async run({ root, options: { content } }: CommandLine<{ readonly content?: boolean }>) {
    const { allRoutes } = await import('../../http/routes/all.js');
    const parts = await loadProjectSchema(root);
    const data = allRoutes(parts)
      .filter(({ action }) => !content || action?.startsWith('api::'))
      .map(({ method, path, action, closed }) => ({
        method: method.toUpperCase(),
        path: parts.config.rest.prefix + path,
        action,
        ...(closed && { closed }),
      }));
    const rows = data.map(({ method, path, action, closed }) => [
      method,
      path,
      closed ? '(closed: its code is not run)' : (action ?? '(open to everyone)'),
    ]);
    return { data, text: table(['method', 'path', 'action'], rows) };
  },
});

/** `mangrove routes list`: lists the routes of the server. */
export const routes = command({ name: 'routes', does: 'show the routes of the server', commands: [list] });

import type { Command } from 'commander';
import { routeOf } from '../../schema/find.js';
import { print, printJson, table } from '../../terminal/output.js';
import { globalsOf } from '../globals.js';
import { loadProjectSchema } from '../project-schema.js';

/** `mangrove content-types list`: what the schemas describe. */
export function register(program: Command): void {
  program
    .command('content-types')
    .description('show the content types of the project')
    .command('list')
    .description('list each with its kind, address, collection and features')
    .addHelpText(
      'after',
      `
Examples:
  $ mangrove content-types list
  $ mangrove content-types list --json | jq -r '.[].uid'`,
    )
    .action(async (_options: unknown, command: Command) => {
      const { root, json } = globalsOf(command);
      const { schema, config } = await loadProjectSchema(root);
      const rows = [...schema.contentTypes.values()].map((type) => ({
        uid: type.uid,
        kind: type.kind,
        path: type.origin === 'api' ? `${config.rest.prefix}/${routeOf(type)}` : null,
        collection: type.collectionName,
        draftAndPublish: type.draftAndPublish,
        localized: type.localized,
        attributes: [...type.attributes.values()].filter((attribute) => !attribute.system).length,
      }));
      if (json) printJson(rows);
      else
        print(
          table(
            ['uid', 'kind', 'path', 'collection', 'drafts', 'locales', 'attributes'],
            rows.map((row) => [
              row.uid,
              row.kind === 'singleType' ? 'single' : 'collection',
              row.path ?? '',
              row.collection,
              row.draftAndPublish ? 'yes' : '',
              row.localized ? 'yes' : '',
              String(row.attributes),
            ]),
          ),
        );
    });
}

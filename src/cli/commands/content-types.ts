import { routeOf } from '../../schema/find.js';
import { table } from '../../terminal/output.js';
import { command } from '../command.js';
import { loadProjectSchema } from '../project-schema.js';

const list = command({
  name: 'list',
  does: 'list each with its kind, path, collection and features',
  help: `
Examples:
  $ mangrove content-types list
  $ mangrove content-types list --json | jq -r '.[].uid'`,
  async run({ root }) {
    const { schema, config } = await loadProjectSchema(root);
    const data = [...schema.contentTypes.values()].map((type) => ({
      uid: type.uid,
      kind: type.kind,
      path: type.origin === 'api' ? `${config.rest.prefix}/${routeOf(type)}` : null,
      collection: type.collectionName,
      draftAndPublish: type.draftAndPublish,
      localized: type.localized,
      attributes: [...type.attributes.values()].filter((attribute) => !attribute.system).length,
    }));
    const rows = data.map(({ uid, kind, path, collection, draftAndPublish, localized, attributes }) => [
      uid,
      kind === 'singleType' ? 'single' : 'collection',
      path ?? '',
      collection,
      draftAndPublish ? 'yes' : '',
      localized ? 'yes' : '',
      String(attributes),
    ]);
    const heading = ['uid', 'kind', 'path', 'collection', 'drafts', 'locales', 'attributes'];
    return { data, text: table(heading, rows) };
  },
});

/** `mangrove content-types list`: lists what the schemas describe. */
export const contentTypes = command({
  name: 'content-types',
  does: 'show the content types of the project',
  commands: [list],
});

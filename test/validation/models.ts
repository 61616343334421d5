/** Small schemas for the tests of this folder, built as from a project's files. */
import { checkSchema } from '../../src/schema/check/check.js';
import type { SchemaFile } from '../../src/schema/files/read.js';
import { buildSchema } from '../../src/schema/load.js';
import type { ContentType, Schema } from '../../src/schema/types.js';

type Attributes = Readonly<Record<string, unknown>>;

const tag: Attributes = {
  label: { type: 'string', required: true, maxLength: 5 },
  weight: { type: 'integer', default: 1 },
  owner: { type: 'relation', relation: 'oneToOne', target: 'plugin::users-permissions.user' },
};

const component = (name: string): SchemaFile => ({
  kind: 'component',
  uid: `shared.${name}`,
  name,
  file: `components/shared/${name}.json`,
  content: { collectionName: `shared_${name}`, info: { displayName: name }, attributes: tag },
});

const contentType = ([name, attributes]: [string, Attributes]): SchemaFile => ({
  kind: 'contentType',
  uid: `api::${name}.${name}`,
  name,
  file: `${name}/schema.json`,
  content: {
    kind: 'collectionType',
    collectionName: `${name}s`,
    info: { singularName: name, pluralName: `${name}s`, displayName: name },
    attributes,
  },
});

/** Content types without Draft & Publish, by name, and two identical components `shared.tag` and `shared.other`. */
export const buildModels = (
  types: Readonly<Record<string, Attributes>>,
): { schema: Schema; type(name: string): ContentType } => {
  const files = [component('other'), component('tag'), ...Object.entries(types).map(contentType)];
  const schema = buildSchema(checkSchema(files));
  return {
    schema,
    type(name) {
      const found = schema.contentTypes.get(`api::${name}.${name}`);
      if (!found) throw new Error(`no type ${name}`);
      return found;
    },
  };
};

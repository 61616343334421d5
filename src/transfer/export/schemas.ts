import { builtInSources } from '../../schema/builtin.js';
import type { Model, Schema } from '../../schema/types.js';
import { isObject } from '../../values/plain-object.js';

/** The tables that Strapi keeps its built-in types in. */
const TABLES: Readonly<Record<string, string>> = {
  'plugin::upload.file': 'files',
  'plugin::upload.folder': 'upload_folders',
  'plugin::users-permissions.user': 'up_users',
  'plugin::users-permissions.role': 'up_roles',
};

const creator = {
  type: 'relation',
  relation: 'oneToOne',
  target: 'admin::user',
  configurable: false,
  writable: false,
  visible: false,
  useJoinTable: false,
  private: true,
};

/** What Strapi adds to every content type (rules D.2). */
const automatic = (uid: string, localized: boolean): Readonly<Record<string, object>> => ({
  createdAt: { type: 'datetime' },
  updatedAt: { type: 'datetime' },
  publishedAt: { type: 'datetime', configurable: false, writable: true, visible: true },
  createdBy: creator,
  updatedBy: creator,
  locale: { writable: true, private: !localized, configurable: false, visible: false, type: 'string' },
  localizations: {
    type: 'relation',
    relation: 'oneToMany',
    target: uid,
    writable: false,
    private: !localized,
    configurable: false,
    visible: false,
    unstable_virtual: true,
  },
});

const capital = (text: string): string =>
  text
    .split(/[-_.]/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');

/** The lines of `schemas` (rules K.3): the project's files with what Strapi adds, and the built-in types with their extensions. */
export function schemaLines(schema: Schema, files: ReadonlyMap<string, unknown>): readonly object[] {
  const types = [...schema.contentTypes.values()].filter(({ origin }) => origin !== 'admin');
  return [...types, ...schema.components.values()].map((model) => schemaLine(model, files.get(model.uid)));
}

function schemaLine(model: Model, file: unknown): object {
  const written = isObject(file) ? file : {};
  const own = isObject(written['attributes']) ? written['attributes'] : {};
  if (model.modelType === 'component') {
    const [, name = ''] = model.uid.split('.');
    return {
      collectionName: `components_${model.uid.replace('.', '_').replaceAll('-', '_')}s`,
      ...written,
      attributes: own,
      uid: model.uid,
      modelType: 'component',
      modelName: name,
      globalId: `Component${capital(model.uid)}`,
    };
  }
  const builtIn = builtInSources.find(({ uid }) => uid === model.uid);
  const plugin = builtIn ? model.uid.slice('plugin::'.length, model.uid.indexOf('.')) : null;
  return {
    kind: model.kind,
    collectionName: TABLES[model.uid] ?? model.collectionName,
    ...(builtIn ? { info: builtIn.raw.info, options: { draftAndPublish: false } } : {}),
    ...(builtIn ? {} : written),
    attributes: { ...builtIn?.raw.attributes, ...own, ...automatic(model.uid, model.localized) },
    uid: model.uid,
    modelType: 'contentType',
    modelName: model.singularName,
    ...(plugin && { plugin }),
    globalId: `${plugin ? capital(plugin) : ''}${capital(model.singularName)}`,
  };
}

import { checkSchema } from '../../src/schema/check/check.js';
import type { SchemaFile } from '../../src/schema/files/read.js';
import { buildSchema, loadSchema } from '../../src/schema/load.js';
import type { ContentType, Schema } from '../../src/schema/types.js';

/** Attributes as in a schema file. */
export type Attributes = Readonly<Record<string, object>>;

interface TypeOptions {
  readonly kind?: 'collectionType' | 'singleType';
  readonly draftAndPublish?: boolean;
  readonly localized?: boolean;
  readonly options?: object;
  /** Fields of the file in addition to the usual ones, which they override. */
  readonly file?: object;
}

/** The file of a content type `name` with the plural `names`. */
export const typeFile = (name: string, attributes: Attributes, options: TypeOptions = {}): SchemaFile => ({
  kind: 'contentType',
  uid: `api::${name}.${name}`,
  name,
  file: `${name}/schema.json`,
  content: {
    kind: options.kind ?? 'collectionType',
    info: { singularName: name, pluralName: `${name}s`, displayName: name },
    options: { draftAndPublish: options.draftAndPublish ?? false, ...options.options },
    pluginOptions: { i18n: { localized: options.localized ?? false } },
    attributes,
    ...options.file,
  },
});

/** The file of a component, `shared.seo`. */
export const componentFile = (uid: string, attributes: Attributes): SchemaFile => ({
  kind: 'component',
  uid,
  name: uid.split('.')[1] ?? '',
  file: `components/${uid.replace('.', '/')}.json`,
  content: { collectionName: `components_${uid.replace('.', '_')}`, info: { displayName: uid }, attributes },
});

/** The schema of these files and the built-in types. */
export const schemaOf = (...files: readonly SchemaFile[]): Schema => buildSchema(checkSchema(files));

/** The one content type `thing` with these attributes. */
export function thing(attributes: Attributes, options: TypeOptions = {}): ContentType {
  const type = schemaOf(typeFile('thing', attributes, options)).contentTypes.get('api::thing.thing');
  if (!type) throw new Error('thing was not made');
  return type;
}

/** The schemas of the conformance fixture. */
export const fixtureSchema = (): Promise<Schema> =>
  loadSchema({ folder: 'test/conformance/fixture/schemas' });

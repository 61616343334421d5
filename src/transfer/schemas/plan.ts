import { checkSchema } from '../../schema/check/check.js';
import { builtInSources } from '../../schema/files/builtin.js';
import { attributesIn, type RawAttribute } from '../../schema/files/raw.js';
import type { SchemaFile } from '../../schema/files/read.js';
import type { CustomFields } from '../../schema/files/source.js';
import { buildSchema } from '../../schema/load.js';
import type { Schema } from '../../schema/types.js';
import { isObject, objectAt, type PlainObject } from '../../values/plain-object.js';
import type { SourceSchema } from '../source/types.js';

/** A schema file to be written, relative to the folder that contains `content-types` or `src`. */
export interface PlannedFile extends SchemaFile {
  readonly content: PlainObject;
}

const splitApi = (uid: string): readonly [string, string] => {
  const [, names = ''] = uid.split('::');
  const dot = names.indexOf('.');
  return [names.slice(0, dot), names.slice(dot + 1)];
};

/**
 * The schema files for a source: in `content-types/` if each type has the name of its API, otherwise in
 * `src/` as in Strapi. A built-in type becomes an extension with its additional attributes.
 */
export function planFiles(schemas: readonly SourceSchema[]): readonly PlannedFile[] {
  const types = schemas.filter(
    ({ uid, modelType }) => modelType === 'contentType' && uid.startsWith('api::'),
  );
  const plain = types.every(({ uid }) => {
    const [api, name] = splitApi(uid);
    return api === name && name !== 'components' && name !== 'extensions';
  });
  const base = plain ? 'content-types' : 'src';
  return schemas.flatMap(({ uid, modelType, content }): PlannedFile[] => {
    if (modelType === 'component') {
      const [category = '', name = ''] = uid.split('.');
      return [{ kind: 'component', uid, name, file: `${base}/components/${category}/${name}.json`, content }];
    }
    const [api, name] = splitApi(uid);
    if (uid.startsWith('api::')) {
      const file = plain
        ? `${base}/${name}/schema.json`
        : `${base}/api/${api}/content-types/${name}/schema.json`;
      return [{ kind: 'contentType', uid, name, file, content }];
    }
    const attributes = moreThanBuiltIn(uid, content);
    const privateAttributes = privateIn(content);
    const options = privateAttributes.length > 0 ? { options: { privateAttributes } } : {};
    if (Object.keys({ ...attributes, ...options }).length === 0) return [];
    const file = `${base}/extensions/${api}/content-types/${name}/schema.json`;
    return [{ kind: 'extension', uid, name, file, content: { ...options, attributes } }];
  });
}

/**
 * Removes references to types and components of the project that are missing, since such schemas cannot be
 * loaded. The values are kept beside their entries.
 */
export function withoutMissing(schemas: readonly SourceSchema[]): readonly SourceSchema[] {
  const known = new Set(schemas.map(({ uid }) => uid));
  const complete = (attribute: unknown): readonly unknown[] => {
    if (!isObject(attribute)) return [attribute];
    const { component, components, target } = attribute;
    if (typeof component === 'string' && !known.has(component)) return [];
    if (typeof target === 'string' && target.startsWith('api::') && !known.has(target)) return [];
    if (!Array.isArray(components)) return [attribute];
    return [{ ...attribute, components: components.filter((uid) => known.has(String(uid))) }];
  };
  return schemas.map(({ content, ...schema }) => {
    const kept = Object.entries(attributesIn(content)).flatMap(([name, attribute]) =>
      complete(attribute).map((one) => [name, one] as const),
    );
    return { ...schema, content: { ...content, attributes: Object.fromEntries(kept) } };
  });
}

/** The attributes of a built-in type without extensions. */
export const builtInAttributes = (uid: string): Readonly<Record<string, RawAttribute>> =>
  builtInSources.find((source) => source.uid === uid)?.raw.attributes ?? {};

const privateIn = (content: PlainObject): readonly unknown[] => {
  const names = objectAt(content, 'options')['privateAttributes'];
  return Array.isArray(names) ? names : [];
};

/** The attributes that a built-in type does not have, or that are private only in the source. */
function moreThanBuiltIn(uid: string, content: PlainObject): PlainObject {
  const known = builtInAttributes(uid);
  return Object.fromEntries(
    Object.entries(attributesIn(content)).flatMap(([name, attribute]) => {
      const own = Object.hasOwn(known, name) ? known[name] : undefined;
      if (!own) return refersToHidden(attribute) ? [] : [[name, attribute] as const];
      const isHidden = objectAt(attribute)['private'] === true && own.private !== true;
      return isHidden ? [[name, { ...own, private: true }] as const] : [];
    }),
  );
}

/** Relations of built-in types to types that do not exist here, such as permissions. */
const refersToHidden = (attribute: unknown): boolean =>
  isObject(attribute) &&
  typeof attribute['target'] === 'string' &&
  !attribute['target'].startsWith('api::') &&
  !builtInSources.some(({ uid }) => uid === attribute['target']);

/**
 * Builds the schema from planned files, checked like the files of a project.
 * @throws SchemaError with every problem
 */
export const modelOfFiles = (
  files: readonly PlannedFile[],
  {
    privateAttributes = [],
    customFields = {},
  }: {
    readonly privateAttributes?: readonly string[];
    readonly customFields?: CustomFields;
  } = {},
): Schema => buildSchema(checkSchema(files, customFields), privateAttributes);

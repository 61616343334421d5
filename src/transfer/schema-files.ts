import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { builtInSources } from '../schema/builtin.js';
import { checkSchema } from '../schema/check.js';
import { SchemaError } from '../schema/error.js';
import { readSchemaFiles, type SchemaFile } from '../schema/files.js';
import { buildSchema } from '../schema/load.js';
import type { Schema } from '../schema/types.js';
import { isObject, objectAt, type PlainObject } from '../values/plain-object.js';
import { ImportError } from './error.js';
import { lost, type Problem, type SourceSchema } from './types.js';

/** A schema file to be, below the folder that holds `content-types` or `src`. */
export interface PlannedFile extends SchemaFile {
  readonly content: PlainObject;
}

const splitApi = (uid: string): readonly [string, string] => {
  const [, names = ''] = uid.split('::');
  const dot = names.indexOf('.');
  return [names.slice(0, dot), names.slice(dot + 1)];
};

/**
 * The schema files of a source: in `content-types/` where each type is named like its api, else in `src/` as Strapi has them. A
 * built-in type becomes an extension with what it has more.
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
    const more = moreThanBuiltIn(uid, content);
    if (Object.keys(more).length === 0) return [];
    const file = `${base}/extensions/${api}/content-types/${name}/schema.json`;
    return [{ kind: 'extension', uid, name, file, content: { attributes: more } }];
  });
}

/**
 * Schemas without what refers to types and components of the project that are not among them: such a schema cannot be loaded. The
 * values are kept beside their entries.
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
    const kept = Object.entries(attributesOf(content)).flatMap(([name, attribute]) =>
      complete(attribute).map((one) => [name, one] as const),
    );
    return { ...schema, content: { ...content, attributes: Object.fromEntries(kept) } };
  });
}

function moreThanBuiltIn(uid: string, content: PlainObject): PlainObject {
  const known = builtInSources.find((source) => source.uid === uid)?.raw.attributes ?? {};
  return Object.fromEntries(
    Object.entries(attributesOf(content)).filter(
      ([name, attribute]) => !Object.hasOwn(known, name) && !refersToHidden(attribute),
    ),
  );
}

/** Relations of built-in types to types that are not there, such as permissions. */
const refersToHidden = (attribute: unknown): boolean =>
  isObject(attribute) &&
  typeof attribute['target'] === 'string' &&
  !attribute['target'].startsWith('api::') &&
  !builtInSources.some(({ uid }) => uid === attribute['target']);

/**
 * The model of planned files, checked as files of a project are.
 * @throws SchemaError with every problem
 */
export const modelOfFiles = (
  files: readonly PlannedFile[],
  {
    privateAttributes = [],
    customFields = {},
  }: {
    readonly privateAttributes?: readonly string[];
    readonly customFields?: Readonly<Record<string, string>>;
  } = {},
): Schema => buildSchema(checkSchema(files, customFields), privateAttributes);

/** Writes planned files below a folder. Never over one that is there. */
export async function writeFiles(folder: string, files: readonly PlannedFile[]): Promise<void> {
  for (const { file, content } of files) {
    const path = join(folder, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `${JSON.stringify(content, null, 2)}\n`, { flag: 'wx' }).catch((error: unknown) => {
      const code = error instanceof Error && 'code' in error ? error.code : null;
      throw code === 'EEXIST'
        ? new ImportError(`${path} is there already: no schema file is overwritten`)
        : error;
    });
  }
}

/** The project's own schema files; none where it has no folder for them. */
export async function projectFiles(root: string): Promise<readonly SchemaFile[]> {
  try {
    return await readSchemaFiles(root);
  } catch (error) {
    if (error instanceof SchemaError) return [];
    throw error;
  }
}

/** Options of an attribute that decide what is stored; others may differ without a loss. */
const DECISIVE = ['type', 'relation', 'target', 'component', 'components', 'repeatable', 'multiple'] as const;

const optionOf = (attribute: PlainObject, option: string): unknown => {
  const value = attribute[option];
  if (option === 'repeatable' || option === 'multiple') return value ?? false;
  return option === 'components' && Array.isArray(value) ? [...value].sort() : value;
};

/** How the source's schemas differ from the project's in what is stored. */
export function compareSchemas(
  source: readonly SourceSchema[],
  project: readonly SchemaFile[],
): readonly Problem[] {
  const own = new Map(project.map((file) => [file.uid, file]));
  return planFiles(source).flatMap(({ uid, content, kind }): Problem[] => {
    const file = own.get(uid);
    if (!file) {
      const why = kind === 'component' ? 'the project has no such component' : 'the project has no such type';
      return kind === 'extension' ? compareAttributes(uid, content, {}) : [problem(uid, why)];
    }
    const there = isObject(file.content) ? file.content : {};
    return [...compareAttributes(uid, content, there), ...compareOptions(uid, content, there)];
  });
}

const problem = (at: string, why: string): Problem => lost('schema', at, why);

const attributesOf = (content: PlainObject): Readonly<Record<string, unknown>> =>
  objectAt(content, 'attributes');

function compareAttributes(uid: string, source: PlainObject, project: PlainObject): Problem[] {
  const own = attributesOf(project);
  return Object.entries(attributesOf(source)).flatMap(([name, attribute]) => {
    const there = Object.hasOwn(own, name) ? own[name] : undefined;
    if (!there) return [problem(`${uid} ${name}`, 'the project has no such attribute')];
    const both = [objectAt(attribute), objectAt(there)] as const;
    const differing = DECISIVE.filter(
      (option) => !isDeepStrictEqual(optionOf(both[0], option), optionOf(both[1], option)),
    );
    return differing.map((option) => {
      const [a, b] = both.map((one) => JSON.stringify(one[option]));
      return problem(`${uid} ${name}`, `${option} is ${a} in the source, ${b} in the project`);
    });
  });
}

/** Draft & Publish and localization decide how many entries a document has. */
function compareOptions(uid: string, source: PlainObject, project: PlainObject): Problem[] {
  const flags = (content: PlainObject) => ({
    draftAndPublish: objectAt(content, 'options')['draftAndPublish'] === true,
    localized: objectAt(content, 'pluginOptions', 'i18n')['localized'] === true,
    singleType: content['kind'] === 'singleType',
  });
  const [a, b] = [flags(source), flags(project)];
  return (['draftAndPublish', 'localized', 'singleType'] as const).flatMap((flag) =>
    a[flag] === b[flag]
      ? []
      : [problem(uid, `${flag} is ${a[flag]} in the source, ${b[flag]} in the project`)],
  );
}

import { createHash } from 'node:crypto';
import { objectAt } from '../values/plain-object.js';
import { checkSchema } from './check/check.js';
import type { ModelSource } from './files/raw.js';
import { changedFile, type ModelChange, readSchemaFiles, type SchemaFile } from './files/read.js';
import type { CustomFields } from './files/source.js';
import { frozenMap } from './model/freeze.js';
import { resolveComponent, resolveContentType } from './model/resolve.js';
import type { Schema } from './types.js';

/** What a Strapi project's code makes of the schema of its files. */
export interface FromCode {
  /** To types of plugins. */
  readonly additions?: readonly SchemaFile[];
  /** In types and components of the project. */
  readonly changes?: readonly ModelChange[];
}

/** The folder of the schema files, and the settings that affect them. */
interface SchemaFolders extends FromCode {
  /** A Mangrove project or its `content-types`, a Strapi project, or its `src`. */
  readonly folder: string;
  /** `api.responses.privateAttributes`: attributes that are private in every type. */
  readonly privateAttributes?: readonly string[];
  /** `api.customFields`: the stored types of custom fields, by uid. */
  readonly customFields?: CustomFields;
}

/**
 * Reads, checks and resolves all schema files in a folder, together with the built-in types.
 * @throws SchemaError with every problem: file, path, what was expected
 * @example const schema = await loadSchema({ folder: process.cwd() });
 */
export async function loadSchema(folders: SchemaFolders): Promise<Schema> {
  const files = filesWith(await readSchemaFiles(folders.folder), folders);
  return buildSchema(checkSchema(files, folders.customFields), folders.privateAttributes ?? []);
}

/** The files as they would be if they said what code makes of them. */
export const filesWith = (
  files: readonly SchemaFile[],
  { additions = [], changes = [] }: FromCode,
): readonly SchemaFile[] => {
  const types = additions
    .filter(({ kind }) => kind === 'contentType')
    .map((type) => extendedType(type, files));
  const others = additions.filter(({ kind }) => kind !== 'contentType');
  return [...types, ...files, ...others].map((file) => changedFile(file, changes));
};

/** The type of a plugin of the project. As in Strapi, what a file in `extensions` says of it takes the place of what the plugin says. */
const extendedType = (type: SchemaFile, files: readonly SchemaFile[]): SchemaFile => {
  const extension = files.find(({ kind, uid }) => kind === 'extension' && uid === type.uid);
  return { ...type, content: { ...objectAt(type.content), ...objectAt(extension?.content) } };
};

/** Builds the schema from checked sources. Pure; also for schemas that do not come from files. */
export function buildSchema(
  sources: readonly ModelSource[],
  privateAttributes: readonly string[] = [],
): Schema {
  const types = sources.filter((source) => source.model === 'contentType');
  const components = sources.filter((source) => source.model === 'component');
  const byUid = new Map(sources.map((source) => [source.uid, source]));
  const find = (uid: string): ModelSource | undefined => byUid.get(uid);
  return Object.freeze({
    contentTypes: frozenMap(
      types.map((s) => [s.uid, resolveContentType(s, privateAttributes, find)] as const),
    ),
    components: frozenMap(
      components.map((s) => [s.uid, resolveComponent(s, privateAttributes, find)] as const),
    ),
    version: versionOf(sources, privateAttributes),
  });
}

const versionOf = (...parts: readonly unknown[]): string =>
  createHash('sha256')
    .update(JSON.stringify(parts, (_, value) => (typeof value === 'function' ? String(value) : value)))
    .digest('hex')
    .slice(0, 16);

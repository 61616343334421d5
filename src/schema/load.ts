import { createHash } from 'node:crypto';
import { checkSchema } from './check.js';
import { dropFileValidators } from './file-validators.js';
import { readSchemaFiles } from './files.js';
import { frozenMap } from './freeze.js';
import type { ModelSource } from './raw.js';
import { resolveComponent, resolveContentType } from './resolve.js';
import type { Schema } from './types.js';

/** Where the schema files are, and what of the config concerns them. */
export interface SchemaFolders {
  /** A Mangrove project or its `content-types`, a Strapi project, or its `src` (rules D.1). */
  readonly folder: string;
  /** `api.responses.privateAttributes`: private in every type (rules A.15). */
  readonly privateAttributes?: readonly string[];
  /** `api.customFields`: the stored type of custom fields, by uid (rules D.4). */
  readonly customFields?: Readonly<Record<string, string>>;
}

/**
 * Reads, checks and resolves all schema files below a folder, together with the built-in types.
 * @throws SchemaError with every problem: file, path in it, what was expected
 * @example const schema = await loadSchema({ folder: process.cwd() });
 */
export async function loadSchema(folders: SchemaFolders): Promise<Schema> {
  const files = await readSchemaFiles(folders.folder);
  try {
    return buildSchema(checkSchema(files, folders.customFields), folders.privateAttributes ?? []);
  } finally {
    dropFileValidators();
  }
}

/** The model of checked sources. Pure; for schemas that do not come from files. */
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

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ownProjectFile } from '../code-scan/own-project.js';
import { ConfigError } from '../config/error.js';
import type { Schema } from '../schema/types.js';
import { reasonOf } from '../values/reason-of.js';
import { checkDefinition } from './check.js';
import { isDefined } from './define.js';
import { NO_DEFINITION, type ProjectDefinition } from './types.js';

/** A module's default export; TypeScript is compiled on the fly. */
const defaultOf = async (file: string): Promise<unknown> => {
  if (!/\.[cm]?ts$/.test(file))
    return ((await import(pathToFileURL(file).href)) as { default?: unknown }).default;
  const { createJiti } = await import('jiti');
  return createJiti(file, { fsCache: false, moduleCache: false }).import(file, { default: true });
};

/**
 * The definition in the project's `src/index.ts`; empty if there is no such file. That of a Strapi project is not one (`strapi/`).
 * @throws ConfigError if it cannot be loaded or is invalid
 */
export async function loadDefinition(root: string, schema: Schema): Promise<ProjectDefinition> {
  const file = await ownProjectFile(root);
  if (file === null) return NO_DEFINITION;
  const definition = await defaultOf(join(root, file)).catch((error: unknown) => {
    throw new ConfigError([`${file}: ${reasonOf(error)}`]);
  });
  if (!isDefined(definition))
    throw new ConfigError([`${file}: export default defineProject({ … }), imported from "mangrove"`]);
  const problems = checkDefinition(definition, schema);
  if (problems.length > 0) throw new ConfigError(problems.map((problem) => `${file} › ${problem}`));
  return definition;
}

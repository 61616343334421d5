import { SchemaError } from '../error.js';
import type { ModelSource } from '../files/raw.js';
import type { SchemaFile } from '../files/read.js';
import type { CustomFields } from '../files/source.js';
import { repair } from './repair.js';

/**
 * Returns the checked models of these files and the built-in ones. What Strapi starts with is accepted, some
 * of it changed.
 * @throws SchemaError with every problem of every file
 */
export function checkSchema(
  files: readonly SchemaFile[],
  customFields: CustomFields = {},
): readonly ModelSource[] {
  const { problems, sources } = repair(files, customFields, 'start');
  if (problems.length > 0) throw new SchemaError(problems);
  return sources;
}

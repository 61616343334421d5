/** The corpus' content types, loaded once. */
import { join } from 'node:path';
import { loadSchema } from '../../../src/schema/load.js';
import type { ContentType } from '../../../src/schema/types.js';
import { corpusFolder } from './query.js';

export const corpusSchema = await loadSchema({ folder: join(corpusFolder, 'fixture', 'schemas') });

/** @example typeNamed('restaurant') */
export function typeNamed(name: string): ContentType {
  const type = corpusSchema.contentTypes.get(`api::${name}.${name}`);
  if (!type) throw new TypeError(`No content type ${name}`);
  return type;
}

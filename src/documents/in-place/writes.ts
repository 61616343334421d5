/** Writes of documents that other programs own too (decision 006). */
import { errors } from '../../errors.js';
import type { ContentType } from '../../schema/types.js';
import type { Writes } from '../operations/run-writes.js';

export function adoptedWrites(type: ContentType): Writes {
  const refuse = async (): Promise<never> => {
    throw errors.readOnly(type.collectionName);
  };
  return { one: refuse, many: refuse, gone: refuse };
}

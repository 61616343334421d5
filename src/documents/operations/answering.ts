import { errors } from '../../errors.js';
import { collectionName } from '../../schema/stored/collections.js';
import type { DocumentCall } from '../call.js';
import type { BuildContext } from '../context.js';
import type { VersionChange } from '../request.js';
import type { ReturnedVersion } from '../versions.js';
import { documentFilter } from './locales.js';
import type { operationsOf } from './of-type.js';
import type { WriteRules } from './write-rules.js';

type VersionsOperation = ReturnType<typeof operationsOf>[VersionChange];

/** Whether the document has a draft in the locale of each of its versions; adopted collections make one. */
async function haveDrafts(
  write: BuildContext,
  call: DocumentCall,
  versions: readonly ReturnedVersion[],
): Promise<boolean> {
  if (write.type.storage) return true;
  const drafts = await write.read(collectionName(write.type, 'draft'), documentFilter(write, call));
  const locales = new Set(drafts.map(({ locale }) => locale ?? null));
  return versions.every(({ locale }) => locales.has(locale));
}

/**
 * Throws before anything is committed, where the operation would leave nothing to answer with: nothing is published, or
 * the published version is all there is of the document. A 404, or for callers with rules the 403 that a version gets
 * which they may not see.
 */
export const answering =
  (operation: VersionsOperation, change: VersionChange, rules: WriteRules | null): VersionsOperation =>
  async (write, call) => {
    const versions = await operation(write, call);
    const isShown =
      versions.length > 0 && (change === 'publish' || (await haveDrafts(write, call, versions)));
    if (!isShown && rules) throw errors.entryRefused();
    if (!isShown && change !== 'publish') throw errors.notFound();
    return versions;
  };

import { errors } from '../../errors.js';
import { collectionName, statusesOf } from '../../schema/stored/collections.js';
import type { Entry } from '../../store/entries/changes.js';
import type { DocumentCall } from '../call.js';
import { releaseSingle } from '../claims/single.js';
import type { BuildContext } from '../context.js';
import { type ReturnedVersion, readVersions, recordEvent, returnedVersion } from '../versions.js';
import { documentFilter } from './locales.js';

/**
 * Removes both versions of the chosen locales. References to the document stay in place and are no longer
 * shown, since their target is not found.
 */
export async function deleteDocument(write: BuildContext, call: DocumentCall): Promise<ReturnedVersion[]> {
  const { type, changes } = write;
  if (call.status === 'draft' && type.draftAndPublish)
    throw errors.bare('draft-not-deletable', 'Cannot delete a draft document');
  const versions = statusesOf(type);
  const stored = await readVersions(write, documentFilter(write, call));
  const shown: ReturnedVersion[] = [];
  const gone: Entry[] = [];
  for (const [at, status] of versions.entries())
    for (const entry of stored[at] ?? []) {
      changes.remove(collectionName(type, status), entry);
      gone.push(entry);
      shown.push(returnedVersion(write, entry, status));
      if (status === versions[0]) recordEvent(write, 'entry.delete', entry);
    }
  if (type.kind === 'singleType' && gone.length > 0) await releaseSingle(write, gone);
  return shown;
}

import { errors } from '../../errors.js';
import type { Entry } from '../../store/changes.js';
import { collectionName } from '../../store/collections.js';
import type { DocumentParams } from '../params.js';
import { localeFilter } from './locales.js';
import { type Attempt, tell, type Version, versionShown } from './operation.js';
import { releaseSingle } from './single.js';

/**
 * Removes both versions of the chosen locales (rules G.6). References to the document stay where they are and are never shown:
 * a reference names a document, and reading finds none.
 */
export async function deleteDocument(attempt: Attempt, params: DocumentParams): Promise<Version[]> {
  const { context, type, changes } = attempt;
  if (params.status === 'draft' && type.draftAndPublish)
    throw errors.bare('draft-not-deletable', 'Cannot delete a draft document');
  const filter = {
    documentId: params.documentId,
    ...localeFilter(type, params.locale, context.config.plugins.i18n.defaultLocale),
  };
  const versions = type.draftAndPublish ? (['draft', 'published'] as const) : (['published'] as const);
  const shown: Version[] = [];
  const gone: Entry[] = [];
  for (const status of versions) {
    const collection = collectionName(type, status);
    for (const entry of await context.read(collection, filter)) {
      changes.remove(collection, entry);
      gone.push(entry);
      shown.push(versionShown(entry, status));
      if (status === versions[0]) tell(attempt, 'entry.delete', entry);
    }
  }
  if (type.kind === 'singleType' && gone.length > 0) await releaseSingle(attempt, gone);
  return shown;
}

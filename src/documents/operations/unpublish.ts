import { collectionName } from '../../store/collections.js';
import type { DocumentParams } from '../params.js';
import { localeFilter } from './locales.js';
import { type Attempt, tell, type Version, versionShown } from './operation.js';

/** Removes the published entries of the chosen locales (rules G.6); the drafts stay as they are. */
export async function unpublishDocument(attempt: Attempt, params: DocumentParams): Promise<Version[]> {
  const { context, type, changes } = attempt;
  const collection = collectionName(type, 'published');
  const published = await context.read(collection, {
    documentId: params.documentId,
    ...localeFilter(type, params.locale, context.config.plugins.i18n.defaultLocale),
  });
  for (const entry of published) {
    changes.remove(collection, entry);
    tell(attempt, 'entry.unpublish', entry);
  }
  return published.map((entry) => versionShown(entry, 'published'));
}

import { collectionName } from '../../store/connection/collections.js';
import type { BuildContext } from '../context.js';
import type { DocumentParams } from '../params.js';
import { recordEvent, type ShownVersion, versionShown } from '../versions.js';
import { localeFilter } from './locales.js';

/** Removes the published entries of the chosen locales (rules G.6); the drafts stay as they are. */
export async function unpublishDocument(
  write: BuildContext,
  params: DocumentParams,
): Promise<ShownVersion[]> {
  const { type, changes, read } = write;
  const collection = collectionName(type, 'published');
  const published = await read(collection, {
    documentId: params.documentId,
    ...localeFilter(write, params.locale),
  });
  for (const entry of published) {
    changes.remove(collection, entry);
    recordEvent(write, 'entry.unpublish', entry);
  }
  return published.map((entry) => versionShown(write, entry, 'published'));
}

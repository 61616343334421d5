import { collectionName } from '../../store/connection/collections.js';
import { type BuildContext, refOf } from '../context.js';
import { publishDraft } from '../entry/publication.js';
import { syncLocalized } from '../entry/sync-localized.js';
import type { DocumentParams } from '../params.js';
import { recordEvent, type ShownVersion, versionShown } from '../versions.js';
import { localeFilter } from './locales.js';

/** Publishes the drafts of the chosen locales (rules G.5); none where there is no such document. */
export async function publishDocument(write: BuildContext, params: DocumentParams): Promise<ShownVersion[]> {
  const { type, read } = write;
  const filter = {
    documentId: params.documentId,
    ...localeFilter(write, params.locale),
  };
  const [drafts, published] = await Promise.all([
    read(collectionName(type, 'draft'), filter),
    read(collectionName(type, 'published'), filter),
  ]);
  const shown: ShownVersion[] = [];
  for (const draft of drafts) {
    const document = refOf(type, draft);
    const replaced = published.find(({ locale }) => (locale ?? null) === document.locale) ?? null;
    const entry = await publishDraft(write, document, draft, replaced);
    recordEvent(write, 'entry.publish', entry);
    await syncLocalized(write, document, entry, 'published');
    shown.push(versionShown(write, entry, 'published'));
  }
  return shown;
}

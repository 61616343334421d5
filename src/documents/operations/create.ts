import { collectionName } from '../../store/connection/collections.js';
import { claimSingle, singleDocument } from '../claims/single.js';
import type { BuildContext, DocumentRef } from '../context.js';
import { createDocumentId } from '../document-id.js';
import { writeDraft } from '../entry/draft.js';
import { publishDraft } from '../entry/publication.js';
import { sharedValues, syncLocalized } from '../entry/sync-localized.js';
import type { CreateParams } from '../params.js';
import { alreadyThere, recordEvent, type ShownVersion, versionShown } from '../versions.js';
import { writeLocale } from './locales.js';
import { updateDocument } from './update.js';

/**
 * A new document, or a new locale of the one that `data.documentId` names (rules G.3). A single type has one document only: creating
 * it again writes that one.
 */
export async function createDocument(write: BuildContext, params: CreateParams): Promise<ShownVersion> {
  const { type, config } = write;
  const locale = writeLocale(type, params.locale, config.plugins.i18n.defaultLocale);
  const single = type.kind === 'singleType' ? await singleDocument(write) : null;
  const own = single ?? ownDocumentId(params.data);
  const document: DocumentRef = { type, documentId: own ?? createDocumentId(), locale };
  const others = own ? await write.read(collectionName(type, 'draft'), { documentId: own }) : [];
  if (others.some((other) => (other['locale'] ?? null) === locale)) {
    const updated = single === null ? null : await updateDocument(write, { ...params, documentId: single });
    if (updated) return updated;
    throw alreadyThere(document);
  }
  if (type.kind === 'singleType') await claimSingle(write, document.documentId);

  const inherited = sharedValues(type, others[0]);
  // Whoever changes the shared attributes or deletes the document at the same moment has to see the new locale.
  if (others[0]) write.changes.touch(collectionName(type, 'draft'), others[0]);
  const draft = await writeDraft(write, document, { data: params.data, stored: null, inherited });
  recordEvent(write, 'entry.create', draft);
  const publish = type.draftAndPublish && params.status === 'published';
  const shown = publish ? await publishDraft(write, document, draft, null) : draft;
  if (publish) recordEvent(write, 'entry.publish', shown);
  const status = publish || !type.draftAndPublish ? 'published' : 'draft';
  if (others.length > 0) await syncLocalized(write, document, draft, status);
  return versionShown(write, shown, status);
}

function ownDocumentId(data: unknown): string | null {
  if (typeof data !== 'object' || data === null || !('documentId' in data)) return null;
  return typeof data.documentId === 'string' && data.documentId !== '' ? data.documentId : null;
}

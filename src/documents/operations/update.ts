import { collectionName } from '../../store/connection/collections.js';
import { claimSingle } from '../claims/single.js';
import type { BuildContext, DocumentRef } from '../context.js';
import { writeDraft } from '../entry/draft.js';
import { publishDraft } from '../entry/publication.js';
import { sharedValues, syncLocalized } from '../entry/sync-localized.js';
import type { UpdateParams } from '../params.js';
import { recordEvent, type ShownVersion, versionShown } from '../versions.js';
import { writeLocale } from './locales.js';

/**
 * Changes a document in one locale; a locale that it does not have yet is made, with the shared attributes of another (rules G.4). Null
 * where there is no such document.
 */
export async function updateDocument(
  write: BuildContext,
  params: UpdateParams,
): Promise<ShownVersion | null> {
  const { type, config, read } = write;
  const { documentId, data } = params;
  const { defaultLocale } = config.plugins.i18n;
  const document: DocumentRef = { type, documentId, locale: writeLocale(type, params.locale, defaultLocale) };
  const publish = type.draftAndPublish && params.status === 'published';
  const [drafts, published] = await Promise.all([
    read(collectionName(type, 'draft'), { documentId }),
    publish ? read(collectionName(type, 'published'), { documentId, locale: document.locale }) : [],
  ]);
  if (drafts.length === 0) return null;
  const stored = drafts.find(({ locale }) => (locale ?? null) === document.locale) ?? null;
  const model = drafts.find(({ locale }) => locale === defaultLocale) ?? drafts[0];

  if (type.kind === 'singleType' && !stored) await claimSingle(write, documentId);

  const inherited = stored ? {} : sharedValues(type, model);
  // Whoever changes the shared attributes or deletes the document at the same moment has to see the new locale.
  if (!stored && model) write.changes.touch(collectionName(type, 'draft'), model);
  const draft = await writeDraft(write, document, { data, stored, inherited });
  recordEvent(write, stored ? 'entry.update' : 'entry.create', draft);
  const shown = publish ? await publishDraft(write, document, draft, published[0] ?? null) : draft;
  if (publish) recordEvent(write, 'entry.publish', shown);
  const status = publish || !type.draftAndPublish ? 'published' : 'draft';
  if (drafts.length > (stored ? 1 : 0)) await syncLocalized(write, document, draft, status);
  return versionShown(write, shown, status);
}

import { collectionName } from '../../store/connection/collections.js';
import type { Entry } from '../../store/entries/changes.js';
import { claimSingle, singleDocument } from '../claims/single.js';
import type { BuildContext, DocumentRef } from '../context.js';
import { createDocumentId } from '../document-id.js';
import { writeDraft } from '../entry/draft.js';
import { publishDraft } from '../entry/publication.js';
import { sharedValues, syncLocalized } from '../entry/sync-localized.js';
import type { CreateParams, UpdateParams } from '../params.js';
import { alreadyThere, recordEvent, type ShownVersion, versionShown } from '../versions.js';
import { writeLocale } from './locales.js';

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
  return save(write, document, params, {
    stored: null,
    published: null,
    otherLocale: others[0],
    alone: others.length === 0,
  });
}

function ownDocumentId(data: unknown): string | null {
  if (typeof data !== 'object' || data === null || !('documentId' in data)) return null;
  return typeof data.documentId === 'string' && data.documentId !== '' ? data.documentId : null;
}

/**
 * Changes a document in one locale; a locale that it does not have yet is made, with the shared attributes of another (rules G.4). Null
 * where there is no such document.
 */
export async function updateDocument(
  write: BuildContext,
  params: UpdateParams,
): Promise<ShownVersion | null> {
  const { type, config, read } = write;
  const { documentId } = params;
  const { defaultLocale } = config.plugins.i18n;
  const document: DocumentRef = { type, documentId, locale: writeLocale(type, params.locale, defaultLocale) };
  const publish = type.draftAndPublish && params.status === 'published';
  const [drafts, published] = await Promise.all([
    read(collectionName(type, 'draft'), { documentId }),
    publish ? read(collectionName(type, 'published'), { documentId, locale: document.locale }) : [],
  ]);
  if (drafts.length === 0) return null;
  const stored = drafts.find(({ locale }) => (locale ?? null) === document.locale) ?? null;
  const otherLocale = drafts.find(({ locale }) => locale === defaultLocale) ?? drafts[0];

  const alone = drafts.length === (stored ? 1 : 0);
  return save(write, document, params, { stored, published: published[0] ?? null, otherLocale, alone });
}

/** What there is of a document before it is saved. */
interface Before {
  /** The draft in this locale; null: a new version is made. */
  readonly stored: Entry | null;
  /** The published entry in this locale. */
  readonly published: Entry | null;
  /** The draft in another locale whose shared attributes a new version takes over. */
  readonly otherLocale: Entry | undefined;
  /** It has no other locales. */
  readonly alone: boolean;
}

/** Writes the draft, publishes it where that is asked for, and makes the other locales follow. */
async function save(
  write: BuildContext,
  document: DocumentRef,
  { data, status: wanted }: CreateParams,
  { stored, published, otherLocale, alone }: Before,
): Promise<ShownVersion> {
  const { type } = document;
  if (type.kind === 'singleType' && !stored) await claimSingle(write, document.documentId);
  const inherited = stored ? {} : sharedValues(type, otherLocale);
  // Whoever changes the shared attributes or deletes the document at the same moment has to see the new locale.
  if (!stored && otherLocale) write.changes.touch(collectionName(type, 'draft'), otherLocale);
  const draft = await writeDraft(write, document, { data, stored, inherited });
  recordEvent(write, stored ? 'entry.update' : 'entry.create', draft);
  const publish = type.draftAndPublish && wanted === 'published';
  const shown = publish ? await publishDraft(write, document, draft, published) : draft;
  if (publish) recordEvent(write, 'entry.publish', shown);
  const status = publish || !type.draftAndPublish ? 'published' : 'draft';
  if (!alone) await syncLocalized(write, document, draft, status);
  return versionShown(write, shown, status);
}

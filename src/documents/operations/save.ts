import { collectionName } from '../../schema/stored/collections.js';
import type { ContentType } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import { isObject } from '../../values/plain-object.js';
import type { Call, DocumentCall } from '../call.js';
import { claimSingle, singleDocument } from '../claims/single.js';
import type { BuildContext, DocumentRef } from '../context.js';
import { createDocumentId } from '../document-id.js';
import { writeDraft } from '../entry/draft.js';
import { publishDraft } from '../entry/publication.js';
import { sharedValues, syncLocalized } from '../entry/sync-localized.js';
import { checkTargets } from '../prepare-write.js';
import {
  documentExists,
  type ReturnedVersion,
  recordEvent,
  returnedVersion,
  writtenStatus,
} from '../versions.js';
import { writeLocale } from './locales.js';

/**
 * Creates a document, or a new locale of the document that `data.documentId` names. For a single type whose
 * document exists, updates it.
 */
export async function createDocument(write: BuildContext, call: Call): Promise<ReturnedVersion> {
  const { type, config } = write;
  const locale = writeLocale(type, call.locale, config.plugins.i18n.defaultLocale);
  const single = type.kind === 'singleType' ? await singleDocument(write) : null;
  const own = single ?? ownDocumentId(call.data);
  const document: DocumentRef = { type, documentId: own ?? createDocumentId(), locale };
  const others = own ? await write.read(collectionName(type, 'draft'), { documentId: own }) : [];
  if (others.some((other) => (other['locale'] ?? null) === locale)) {
    const updated = single === null ? null : await updateDocument(write, { ...call, documentId: single });
    if (updated) return updated;
    throw documentExists(document);
  }
  return save(write, document, call, { drafts: others, published: null });
}

function ownDocumentId(data: unknown): string | null {
  if (typeof data !== 'object' || data === null || !('documentId' in data)) return null;
  return typeof data.documentId === 'string' && data.documentId !== '' ? data.documentId : null;
}

/**
 * Updates a document in one locale. A missing locale is created with the shared attributes of another one.
 * Null if there is no such document.
 */
export async function updateDocument(
  write: BuildContext,
  call: DocumentCall,
): Promise<ReturnedVersion | null> {
  const { type, config, read } = write;
  const { documentId } = call;
  const locale = writeLocale(type, call.locale, config.plugins.i18n.defaultLocale);
  const document: DocumentRef = { type, documentId, locale };
  const [drafts, published] = await Promise.all([
    read(collectionName(type, 'draft'), { documentId }),
    publishes(type, call) ? read(collectionName(type, 'published'), { documentId, locale }) : [],
  ]);
  if (drafts.length > 0) return save(write, document, call, { drafts, published: published[0] ?? null });
  await checkTargets(write, document, { data: call.data, action: 'update' });
  return null;
}

const publishes = (type: ContentType, { status }: Call): boolean =>
  type.draftAndPublish && writtenStatus(type, status) === 'published';

/** The stored versions before a save. */
interface Before {
  /** In all locales. */
  readonly drafts: readonly Entry[];
  /** In the locale that is written. */
  readonly published: Entry | null;
}

/** The data for a new locale: as in Strapi, a null for a shared attribute does not clear it in all the others. */
const dataOver = (shared: Entry, data: unknown): unknown =>
  isObject(data) && Object.values(data).includes(null)
    ? Object.fromEntries(
        Object.entries(data).filter(([name, value]) => value !== null || !Object.hasOwn(shared, name)),
      )
    : data;

/** Writes the draft, publishes it if requested, and updates the shared attributes of the other locales. */
async function save(
  write: BuildContext,
  document: DocumentRef,
  call: Call,
  { drafts, published }: Before,
): Promise<ReturnedVersion> {
  const { type } = document;
  const { defaultLocale } = write.config.plugins.i18n;
  const stored = drafts.find(({ locale }) => (locale ?? null) === document.locale) ?? null;
  if (type.kind === 'singleType' && !stored) await claimSingle(write, document.documentId);
  // A new locale starts with the shared attributes of another one.
  const other = stored ? undefined : (drafts.find(({ locale }) => locale === defaultLocale) ?? drafts[0]);
  // Changes its revision, so that a concurrent change or delete of the document conflicts.
  if (other) write.changes.touch(collectionName(type, 'draft'), other);
  const inherited = sharedValues(type, other);
  const data = dataOver(inherited, call.data);
  const draft = await writeDraft(write, document, { data, stored, inherited });
  recordEvent(write, stored ? 'entry.update' : 'entry.create', draft);
  const publish = publishes(type, call);
  const own = call.copied?.get(document.locale);
  const shown = publish
    ? await publishDraft(write, document, draft, { published, sent: call.data, own })
    : draft;
  if (publish) recordEvent(write, 'entry.publish', shown);
  const status = writtenStatus(type, call.status);
  if (drafts.some((entry) => entry !== stored)) await syncLocalized(write, document, draft, status);
  return returnedVersion(write, shown, status);
}

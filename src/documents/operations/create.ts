import { errors } from '../../errors.js';
import { collectionName } from '../../store/collections.js';
import { writeDraft } from '../build/draft.js';
import { publishDraft } from '../build/publication.js';
import { sharedValues, syncLocalized } from '../build/sync-localized.js';
import type { Source } from '../context.js';
import { createDocumentId } from '../document-id.js';
import type { CreateParams } from '../params.js';
import { writeLocale } from './locales.js';
import { type Attempt, tell, type Version, versionShown } from './operation.js';
import { claimSingle, singleDocument } from './single.js';
import { updateDocument } from './update.js';

/**
 * A new document, or a new locale of the one that `data.documentId` names (rules G.3). A single type has one document only: creating
 * it again writes that one.
 */
export async function createDocument(attempt: Attempt, params: CreateParams): Promise<Version> {
  const { context, type, changes } = attempt;
  const locale = writeLocale(type, params.locale, context.config.plugins.i18n.defaultLocale);
  const single = type.kind === 'singleType' ? await singleDocument(attempt) : null;
  const own = single ?? ownDocumentId(params.data);
  const source: Source = { type, documentId: own ?? createDocumentId(), locale };
  const others = own ? await context.read(collectionName(type, 'draft'), { documentId: own }) : [];
  if (others.some((other) => (other['locale'] ?? null) === locale)) {
    const updated = single === null ? null : await updateDocument(attempt, { ...params, documentId: single });
    if (updated) return updated;
    throw alreadyThere(source);
  }
  if (type.kind === 'singleType') await claimSingle(attempt, source.documentId);

  const shared = sharedValues(type, others[0]);
  const draft = await writeDraft(context, changes, {
    source,
    data: params.data,
    action: 'create',
    stored: null,
    shared,
  });
  tell(attempt, 'entry.create', draft);
  const publish = type.draftAndPublish && params.status === 'published';
  const shown = publish ? await publishDraft(context, changes, source, draft, null) : draft;
  if (publish) tell(attempt, 'entry.publish', shown);
  const status = publish || !type.draftAndPublish ? 'published' : 'draft';
  if (others.length > 0) await syncLocalized(context, changes, source, draft, status);
  return versionShown(shown, status);
}

function ownDocumentId(data: unknown): string | null {
  if (typeof data !== 'object' || data === null || !('documentId' in data)) return null;
  return typeof data.documentId === 'string' && data.documentId !== '' ? data.documentId : null;
}

const alreadyThere = ({ type, documentId, locale }: Source) =>
  errors.application(
    'document-exists',
    `A draft entry with documentId "${documentId}"${locale === null ? '' : ` and locale "${locale}"`} already exists for UID "${type.uid}". This combination must be unique.`,
  );

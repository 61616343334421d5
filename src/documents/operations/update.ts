import { collectionName } from '../../store/collections.js';
import { writeDraft } from '../build/draft.js';
import { publishDraft } from '../build/publication.js';
import { sharedValues, syncLocalized } from '../build/sync-localized.js';
import type { Source } from '../context.js';
import type { UpdateParams } from '../params.js';
import { writeLocale } from './locales.js';
import { type Attempt, tell, type Version, versionShown } from './operation.js';
import { claimSingle } from './single.js';

/**
 * Changes a document in one locale; a locale that it does not have yet is made, with the shared attributes of another (rules G.4). Null
 * where there is no such document.
 */
export async function updateDocument(attempt: Attempt, params: UpdateParams): Promise<Version | null> {
  const { context, type, changes } = attempt;
  const { documentId, data } = params;
  const { defaultLocale } = context.config.plugins.i18n;
  const source: Source = { type, documentId, locale: writeLocale(type, params.locale, defaultLocale) };
  const publish = type.draftAndPublish && params.status === 'published';
  const [drafts, published] = await Promise.all([
    context.read(collectionName(type, 'draft'), { documentId }),
    publish ? context.read(collectionName(type, 'published'), { documentId, locale: source.locale }) : [],
  ]);
  if (drafts.length === 0) return null;
  const stored = drafts.find(({ locale }) => (locale ?? null) === source.locale) ?? null;
  const model = drafts.find(({ locale }) => locale === defaultLocale) ?? drafts[0];

  if (type.kind === 'singleType' && !stored) await claimSingle(attempt, documentId);

  const draft = await writeDraft(context, changes, {
    source,
    data,
    action: stored ? 'update' : 'create',
    stored,
    shared: stored ? {} : sharedValues(type, model),
  });
  tell(attempt, stored ? 'entry.update' : 'entry.create', draft);
  const shown = publish ? await publishDraft(context, changes, source, draft, published[0] ?? null) : draft;
  if (publish) tell(attempt, 'entry.publish', shown);
  const status = publish || !type.draftAndPublish ? 'published' : 'draft';
  if (drafts.length > (stored ? 1 : 0)) await syncLocalized(context, changes, source, draft, status);
  return versionShown(shown, status);
}

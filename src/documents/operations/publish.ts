import type { Entry } from '../../store/changes.js';
import { collectionName } from '../../store/collections.js';
import { publishDraft } from '../build/publication.js';
import { syncLocalized } from '../build/sync-localized.js';
import type { Source } from '../context.js';
import type { DocumentParams } from '../params.js';
import { localeFilter } from './locales.js';
import { type Attempt, tell, type Version, versionShown } from './operation.js';

/** Publishes the drafts of the chosen locales (rules G.5); none where there is no such document. */
export async function publishDocument(attempt: Attempt, params: DocumentParams): Promise<Version[]> {
  const { context, type, changes } = attempt;
  const filter = {
    documentId: params.documentId,
    ...localeFilter(type, params.locale, context.config.plugins.i18n.defaultLocale),
  };
  const [drafts, published] = await Promise.all([
    context.read(collectionName(type, 'draft'), filter),
    context.read(collectionName(type, 'published'), filter),
  ]);
  const shown: Version[] = [];
  for (const draft of drafts) {
    const source = sourceOf(attempt, draft);
    const replaced = published.find(({ locale }) => (locale ?? null) === source.locale) ?? null;
    const entry = await publishDraft(context, changes, source, draft, replaced);
    tell(attempt, 'entry.publish', entry);
    await syncLocalized(context, changes, source, entry, 'published');
    shown.push(versionShown(entry, 'published'));
  }
  return shown;
}

/** The document and locale of a stored entry. */
export const sourceOf = ({ type }: Attempt, entry: Entry): Source => ({
  type,
  documentId: String(entry['documentId']),
  locale: typeof entry['locale'] === 'string' ? entry['locale'] : null,
});

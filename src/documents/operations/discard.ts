import { collectionName } from '../../store/collections.js';
import { versionOf } from '../build/publication.js';
import { syncLocalized } from '../build/sync-localized.js';
import type { DocumentParams } from '../params.js';
import { enforceOneToOne, syncOwners, touchedOf } from '../relations/sync.js';
import { localeFilter } from './locales.js';
import { type Attempt, tell, type Version, versionShown } from './operation.js';
import { sourceOf } from './publish.js';

/** Makes the drafts of the chosen locales anew from the published entries; a draft that was never published goes (rules G.6). */
export async function discardDraft(attempt: Attempt, params: DocumentParams): Promise<Version[]> {
  const { context, type, changes } = attempt;
  const filter = {
    documentId: params.documentId,
    ...localeFilter(type, params.locale, context.config.plugins.i18n.defaultLocale),
  };
  const collection = collectionName(type, 'draft');
  const [drafts, published] = await Promise.all([
    context.read(collection, filter),
    context.read(collectionName(type, 'published'), filter),
  ]);
  const shown: Version[] = [];
  for (const draft of drafts) {
    const source = sourceOf(attempt, draft);
    const live = published.find(({ locale }) => (locale ?? null) === source.locale);
    if (!live) {
      changes.remove(collection, draft);
      tell(attempt, 'entry.delete', draft);
      continue;
    }
    const entry = {
      _id: draft['_id'],
      ...(await versionOf(context, source, live, draft)),
      publishedAt: null,
    };
    changes.replace(collection, draft, entry);
    await enforceOneToOne(context, changes, source, collection, entry, draft);
    await syncOwners(context, changes, source, touchedOf(draft), 'published', 'draft');
    await syncLocalized(context, changes, source, entry, 'draft');
    tell(attempt, 'entry.draft-discard', entry);
    shown.push(versionShown(entry, 'draft'));
  }
  return shown;
}

import { collectionName } from '../../store/connection/collections.js';
import { type BuildContext, refOf } from '../context.js';
import { versionOf } from '../entry/publication.js';
import { syncLocalized } from '../entry/sync-localized.js';
import type { DocumentParams } from '../params.js';
import { enforceOneToOne } from '../relations/one-to-one.js';
import { pendingInverseOf } from '../relations/pending-inverse.js';
import { syncOwners } from '../relations/sync.js';
import { recordEvent, type ShownVersion, versionShown } from '../versions.js';
import { localeFilter } from './locales.js';

/** Replaces the drafts of the chosen locales by the published entries; a draft that was never published is deleted (rules G.6). */
export async function discardDraft(write: BuildContext, params: DocumentParams): Promise<ShownVersion[]> {
  const { type, changes, read } = write;
  const filter = {
    documentId: params.documentId,
    ...localeFilter(write, params.locale),
  };
  const collection = collectionName(type, 'draft');
  const [drafts, published] = await Promise.all([
    read(collection, filter),
    read(collectionName(type, 'published'), filter),
  ]);
  const shown: ShownVersion[] = [];
  for (const draft of drafts) {
    const document = refOf(type, draft);
    const live = published.find(({ locale }) => (locale ?? null) === document.locale);
    if (!live) {
      changes.remove(collection, draft);
      recordEvent(write, 'entry.delete', draft);
      continue;
    }
    const copy = await versionOf(write, live, { replaced: draft });
    const entry = { _id: draft['_id'], ...copy, publishedAt: null };
    changes.replace(collection, draft, entry);
    // A publication at the same moment has to see that this entry was taken back.
    changes.touch(collectionName(type, 'published'), live);
    await enforceOneToOne(write, document, { status: 'draft', entry, before: draft });
    await syncOwners(write, document, pendingInverseOf(draft), { from: 'published', to: 'draft' });
    await syncLocalized(write, document, entry, 'draft');
    recordEvent(write, 'entry.draft-discard', entry);
    shown.push(versionShown(write, entry, 'draft'));
  }
  return shown;
}

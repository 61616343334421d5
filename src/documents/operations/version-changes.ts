import { collectionName } from '../../schema/stored/collections.js';
import type { DocumentCall } from '../call.js';
import { type BuildContext, refOf } from '../context.js';
import { hasOneId, otherVersionOf, publishDraft, withOwn } from '../entry/publication.js';
import { syncLocalized } from '../entry/sync-localized.js';
import { enforceOneToOne } from '../relations/one-to-one.js';
import { pendingInverseOf, syncOwners } from '../relations/pending-inverse.js';
import { type ReturnedVersion, readVersions, recordEvent, returnedVersion } from '../versions.js';
import { documentFilter } from './locales.js';

/** Publishes the drafts of the chosen locales. Empty if there is no such document. */
export async function publishDocument(write: BuildContext, call: DocumentCall): Promise<ReturnedVersion[]> {
  const { type, read } = write;
  const filter = documentFilter(write, call);
  const [drafts, published] = await Promise.all([
    read(collectionName(type, 'draft'), filter),
    read(collectionName(type, 'published'), filter),
  ]);
  const shown: ReturnedVersion[] = [];
  for (const draft of drafts) {
    const document = refOf(type, draft);
    const replaced = published.find(({ locale }) => (locale ?? null) === document.locale) ?? null;
    const own = call.copied?.get(document.locale);
    const entry = await publishDraft(write, document, draft, { published: replaced, own });
    recordEvent(write, 'entry.publish', entry);
    await syncLocalized(write, document, entry, 'published');
    shown.push(returnedVersion(write, entry, 'published'));
  }
  return shown;
}

/**
 * Removes the published entries of the chosen locales. The drafts stay as they are and get a new revision, so
 * that an edit on condition of the one they had does not publish them again unseen.
 */
export async function unpublishDocument(write: BuildContext, call: DocumentCall): Promise<ReturnedVersion[]> {
  const { type, changes } = write;
  const collection = collectionName(type, 'published');
  const [drafts, published] = await readVersions(write, documentFilter(write, call));
  const inDrafts = collectionName(type, 'draft');
  for (const draft of drafts) {
    const live = published.find(({ locale }) => (locale ?? null) === (draft['locale'] ?? null));
    if (!live) continue;
    const left = changes.current(inDrafts, draft);
    if (left && hasOneId(write)) changes.replace(inDrafts, draft, { ...left, id: live['id'] });
    else changes.touch(inDrafts, draft);
  }
  for (const entry of published) {
    changes.remove(collection, entry);
    recordEvent(write, 'entry.unpublish', entry);
  }
  return published.map((entry) => returnedVersion(write, entry, 'published'));
}

/**
 * Replaces the drafts of the chosen locales with the published entries; a draft that was never published is
 * deleted.
 */
export async function discardDraft(write: BuildContext, call: DocumentCall): Promise<ReturnedVersion[]> {
  const { type, changes } = write;
  const collection = collectionName(type, 'draft');
  const [drafts, published] = await readVersions(write, documentFilter(write, call));
  const shown: ReturnedVersion[] = [];
  for (const draft of drafts) {
    const document = refOf(type, draft);
    const live = published.find(({ locale }) => (locale ?? null) === document.locale);
    if (!live) {
      changes.remove(collection, draft);
      recordEvent(write, 'entry.delete', draft);
      continue;
    }
    const own = call.copied?.get(document.locale);
    const from = own ? await withOwn(write, document, live, own) : live;
    const copy = await otherVersionOf(write, from, { replaced: draft });
    const entry = { _id: draft['_id'], ...copy, publishedAt: null };
    changes.replace(collection, draft, entry);
    // Changes the revision, so that a concurrent publish or unpublish conflicts.
    changes.touch(collectionName(type, 'published'), live);
    await enforceOneToOne(write, document, { status: 'draft', entry, before: draft });
    await syncOwners(write, document, pendingInverseOf(draft), { from: 'published', to: 'draft' });
    await syncLocalized(write, document, entry, 'draft');
    recordEvent(write, 'entry.draft-discard', entry);
    shown.push(returnedVersion(write, entry, 'draft'));
  }
  return shown;
}

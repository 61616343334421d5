import { ObjectId } from 'bson';
import { collectionName, historyName } from '../../schema/stored/collections.js';
import type { DocumentCall } from '../call.js';
import { claimSingle, singleDocument } from '../claims/single.js';
import { type BuildContext, type DocumentRef, refOf } from '../context.js';
import { nowAfter } from '../entry/draft.js';
import { otherVersionOf } from '../entry/publication.js';
import { syncLocalized } from '../entry/sync-localized.js';
import { preparePublication } from '../prepare-write.js';
import { enforceOneToOne } from '../relations/one-to-one.js';
import { pendingInverseOf, withPendingInverse } from '../relations/pending-inverse.js';
import { type ReturnedVersion, recordEvent, returnedVersion, writtenStatus } from '../versions.js';

/**
 * Makes a version the draft of its document, which is created again if it was deleted. A type without drafts gets it as
 * its entry, if it is still valid. Relations that other entries store stay as they are. Empty if there is no such
 * version.
 */
export const restoring =
  (version: ObjectId) =>
  async (write: BuildContext, call: DocumentCall): Promise<ReturnedVersion[]> => {
    const { type, changes, read } = write;
    const single = type.kind === 'singleType';
    const [from] = await read(historyName(type), {
      '_version.id': version,
      ...(!single && { documentId: call.documentId }),
    });
    if (!from) return [];
    const former = refOf(type, from);
    const documentId = (single ? await singleDocument(write) : null) ?? former.documentId;
    const document: DocumentRef = { ...former, documentId };
    const collection = collectionName(type, 'draft');
    const drafts = await read(collection, { documentId });
    const stored = drafts.find(({ locale }) => (locale ?? null) === document.locale) ?? null;
    if (single && !stored) await claimSingle(write, documentId);
    // Changes its revision, so that a concurrent change or delete of the document conflicts.
    const [other] = stored ? [] : drafts;
    if (other) changes.touch(collection, other);
    const now = nowAfter(stored?.['updatedAt']);
    const copy = {
      _id: stored?.['_id'] ?? new ObjectId(),
      ...(await otherVersionOf(write, from, { replaced: stored })),
      ...(stored && { id: stored['id'], createdAt: stored['createdAt'] }),
      documentId,
      updatedAt: now,
      publishedAt: type.draftAndPublish ? null : (stored?.['publishedAt'] ?? now),
    };
    if (!type.draftAndPublish) await preparePublication(write, document, copy);
    const entry = withPendingInverse(copy, pendingInverseOf(stored ?? {}));
    if (stored) changes.replace(collection, stored, entry);
    else changes.insert(collection, entry);
    await enforceOneToOne(write, document, { status: 'draft', entry, before: stored });
    const status = writtenStatus(type, 'draft');
    await syncLocalized(write, document, entry, status);
    recordEvent(write, stored ? 'entry.update' : 'entry.create', entry);
    return [returnedVersion(write, entry, status)];
  };

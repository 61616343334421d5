import { ObjectId } from 'bson';
import { collectionName, historyName } from '../../schema/stored/collections.js';
import { isCurrent, type StoredVersion } from '../../store/history/versions.js';
import type { DocumentCall } from '../call.js';
import { claimSingle, singleDocument } from '../claims/single.js';
import { type BuildContext, type DocumentRef, refOf } from '../context.js';
import { nowAfter, writeDraft } from '../entry/draft.js';
import { withPasswordsOf } from '../entry/kept-passwords.js';
import { otherVersionOf } from '../entry/publication.js';
import { syncLocalized } from '../entry/sync-localized.js';
import { preparePublication } from '../prepare-write.js';
import { enforceOneToOne } from '../relations/one-to-one.js';
import { pendingInverseOf, withPendingInverse } from '../relations/pending-inverse.js';
import { type ReturnedVersion, recordEvent, returnedVersion, writtenStatus } from '../versions.js';

/**
 * Makes a version the draft of its document, which is created again if it was deleted, with the `data` of the call as
 * changes to it. A type without drafts gets it as its entry, if it is still valid. Relations that other entries store
 * stay as they are, and so do passwords: an old one would open the door again. Empty if there is no such version.
 */
export const restoring =
  (version: ObjectId) =>
  async (write: BuildContext, call: DocumentCall): Promise<ReturnedVersion[]> => {
    const { schema, type, changes, read } = write;
    const single = type.kind === 'singleType';
    const [from] = await read(historyName(type), {
      '_version.id': version,
      ...(!single && { documentId: call.documentId }),
    });
    if (!from) return [];
    const of = refOf(type, from);
    const documentId = (single ? await singleDocument(write) : null) ?? of.documentId;
    const document: DocumentRef = { ...of, documentId };
    const collection = collectionName(type, 'draft');
    const drafts = await read(collection, { documentId });
    const stored = drafts.find(({ locale }) => (locale ?? null) === document.locale) ?? null;
    if (single && !stored) await claimSingle(write, documentId);
    // Changes their revisions, so that a concurrent erasure of the version, or a change or delete of the document, conflicts.
    if (!isCurrent((from as StoredVersion)._version)) changes.touch(historyName(type), from);
    const [other] = stored ? [] : drafts;
    if (other) changes.touch(collection, other);
    const now = nowAfter(stored?.['updatedAt']);
    const content = stored ? withPasswordsOf(stored, from, type, schema) : from;
    const copy = {
      _id: stored?.['_id'] ?? new ObjectId(),
      ...(await otherVersionOf(write, content, { replaced: stored })),
      ...(stored && { id: stored['id'], createdAt: stored['createdAt'] }),
      documentId,
      updatedAt: now,
      publishedAt: type.draftAndPublish ? null : (stored?.['publishedAt'] ?? now),
    };
    const former = withPendingInverse(copy, pendingInverseOf(stored ?? {}));
    if (stored) changes.replace(collection, stored, former);
    else changes.insert(collection, former);
    const { data } = call;
    const entry = data === undefined ? former : await writeDraft(write, document, { data, stored: former });
    if (!type.draftAndPublish) await preparePublication(write, document, entry);
    await enforceOneToOne(write, document, { status: 'draft', entry, before: stored });
    const status = writtenStatus(type, 'draft');
    await syncLocalized(write, document, entry, status);
    recordEvent(write, stored ? 'entry.update' : 'entry.create', entry);
    return [returnedVersion(write, entry, status)];
  };

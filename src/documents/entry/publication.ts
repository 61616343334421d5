import { ObjectId } from 'bson';
import { collectionName } from '../../store/connection/collections.js';
import type { Entry } from '../../store/entries/changes.js';
import type { BuildContext, DocumentRef } from '../context.js';
import { countItems } from '../plan/items.js';
import { preparePublication } from '../prepare-write.js';
import { enforceOneToOne } from '../relations/one-to-one.js';
import { pendingInverseOf, syncOwners, withoutPendingInverse } from '../relations/pending-inverse.js';
import { takeComponentIds } from './component-ids.js';
import { copyFields, keptBeside } from './copy.js';

/**
 * Publishes a draft (rules G.5): validates it in full and writes a copy with new component ids in place of
 * the published entry, if there is one. With `stableIds` the copy keeps that entry's numeric id. Returns the
 * copy.
 */
export async function publishDraft(
  write: BuildContext,
  document: DocumentRef,
  draft: Entry,
  published: Entry | null,
): Promise<Entry> {
  const { changes } = write;
  const { type } = document;
  const { plan } = await preparePublication(write, document, draft);
  const copy = await otherVersionOf(write, draft, { replaced: published, items: plan.needs.componentIds });
  const entry = { _id: published?.['_id'] ?? new ObjectId(), ...copy, publishedAt: new Date() };
  const collection = collectionName(type, 'published');
  if (published) changes.replace(collection, published, entry);
  else changes.insert(collection, entry);
  await enforceOneToOne(write, document, { status: 'published', entry, before: published });

  const pending = pendingInverseOf(draft);
  if (Object.keys(pending).length > 0) {
    await syncOwners(write, document, pending, { from: 'draft', to: 'published' });
    changes.replace(collectionName(type, 'draft'), draft, withoutPendingInverse(draft));
  }
  // Changes the draft's revision, so that a concurrent discardDraft or delete conflicts.
  changes.touch(collectionName(type, 'draft'), draft);
  const stored = changes.current(collection, entry) ?? entry;
  write.trace?.built?.(stored);
  return stored;
}

interface Replacing {
  /** The stored version that is replaced; null if there is none. */
  readonly replaced: Entry | null;
  /** The number of component items in the new version, if known. */
  readonly items?: number;
}

/** A copy of `from` as the other version of its document. */
export async function otherVersionOf(
  write: BuildContext,
  from: Entry,
  { replaced, items }: Replacing,
): Promise<Entry> {
  const { schema, sequences, config, type } = write;
  const nextId = await takeComponentIds(write, items ?? countItems(schema, type, from));
  const keepsId = replaced !== null && config.documents.stableIds;
  const [id] = keepsId ? [Number(replaced['id'])] : await sequences.take(type.uid, 1);
  return {
    id,
    documentId: from['documentId'],
    locale: from['locale'] ?? null,
    createdAt: from['createdAt'],
    updatedAt: from['updatedAt'],
    ...('createdBy' in from && { createdBy: from['createdBy'], updatedBy: from['updatedBy'] }),
    ...keptBeside(from),
    ...copyFields(schema, type, from, nextId),
  };
}

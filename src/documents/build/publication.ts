import { ObjectId } from 'bson';
import type { Changes, Entry } from '../../store/changes.js';
import { collectionName } from '../../store/collections.js';
import { COMPONENT_IDS, type DocumentsContext, type Source } from '../context.js';
import { enforceOneToOne, syncOwners, touchedOf } from '../relations/sync.js';
import { checkData } from '../validate/check.js';
import { copyFields, countItems } from './copy.js';
import { refuseTaken } from './draft.js';

/**
 * Makes the published entry of a draft (rules G.5): checked in full, a copy with new component ids, in place of the one there was.
 * `stableIds` decides whether it keeps that one's numeric id. Returns it.
 */
export async function publishDraft(
  context: DocumentsContext,
  changes: Changes,
  source: Source,
  draft: Entry,
  published: Entry | null,
): Promise<Entry> {
  const { type } = source;
  await checkData(context, source, draft, { mode: 'published', action: 'create', partial: false }, []);
  await refuseTaken(context, source, draft);

  const entry = {
    _id: published?.['_id'] ?? new ObjectId(),
    ...(await versionOf(context, source, draft, published)),
    publishedAt: new Date(),
  };
  const collection = collectionName(type, 'published');
  if (published) changes.replace(collection, published, entry);
  else changes.insert(collection, entry);
  await enforceOneToOne(context, changes, source, collection, entry, published);

  const touched = touchedOf(draft);
  if (Object.keys(touched).length > 0) {
    await syncOwners(context, changes, source, touched, 'draft', 'published');
    const { _touched, ...rest } = draft;
    changes.replace(collectionName(type, 'draft'), draft, rest);
  }
  return changes.current(collection, entry) ?? entry;
}

/** `from` as the other version of its document; `replaced` is what it takes the place of. */
export async function versionOf(
  { schema, sequences, config }: DocumentsContext,
  { type }: Source,
  from: Entry,
  replaced: Entry | null,
): Promise<Entry> {
  const ids = await sequences.take(COMPONENT_IDS, countItems(schema, type, from));
  const keepsId = replaced !== null && config.documents.stableIds;
  const [id] = keepsId ? [Number(replaced['id'])] : await sequences.take(type.uid, 1);
  return {
    id,
    documentId: from['documentId'],
    locale: from['locale'] ?? null,
    createdAt: from['createdAt'],
    updatedAt: from['updatedAt'],
    ...('createdBy' in from && { createdBy: from['createdBy'], updatedBy: from['updatedBy'] }),
    ...copyFields(schema, type, from, () => ids.shift() ?? 0),
  };
}

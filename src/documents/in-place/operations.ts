/**
 * The operations on documents of adopted collections (decision 006). With Draft & Publish, what is saved is a draft
 * in a collection of Mangrove's own, and publishing writes the paths in which it differs to the adopted collection
 * (docs/on-mongodb.md, "Drafts"); without, every save is written there.
 */
import { errors } from '../../errors.js';
import { keyText } from '../../values/json-form.js';
import type { Call, DocumentCall } from '../call.js';
import { singleDocument } from '../claims/single.js';
import type { BuildContext } from '../context.js';
import { documentExists, type ReturnedVersion, recordEvent, returnedVersion } from '../versions.js';
import { changesOf, documentOf, placeAll } from './build.js';
import { checkWritable, copiedDocument, entryOf, newDocument, prepared, times } from './prepare.js';
import { checkWay, publish, save, saveDraft } from './save.js';
import { find, NO_VERSIONS, versionsAt } from './stored-versions.js';

export async function createInPlace(write: BuildContext, call: Call): Promise<ReturnedVersion> {
  const { type } = write;
  checkWritable(type);
  const isSingle = type.kind === 'singleType';
  const single = isSingle ? await singleDocument(write) : null;
  const updated = single === null ? null : await updateInPlace(write, { ...call, documentId: single });
  if (updated) return updated;
  const { document, anyKey } = await newDocument(write, call.data);
  const id: unknown = document['_id'];
  // The index on `_id` sees only one of the two collections.
  const found = type.draftAndPublish ? await versionsAt(write, id) : { id, ...NO_VERSIONS };
  if (found.draft || found.published) throw documentExists({ type, documentId: keyText(id), locale: null });
  const next = { id, document, changed: null, insert: { anyKey, onlyIfEmpty: isSingle } };
  return save(write, next, found, { event: 'entry.create', status: call.status });
}

export async function updateInPlace(
  write: BuildContext,
  { documentId, data, status }: DocumentCall,
): Promise<ReturnedVersion | null> {
  const { type } = write;
  const found = await find(write, documentId);
  if (!found) return null;
  const { id, current } = found;
  const { plan, tools } = await prepared(write, current.document, { data, action: 'update' });
  const { set, unset, compared } = changesOf(plan.root, current.document, tools);
  const dated = times(type, false);
  const written = [...Object.keys(set), ...Object.keys(dated)];
  for (const path of written) checkWay(current.document, path, type);
  const document = documentOf(plan.root, current.document, tools);
  placeAll(document, dated);
  const changed = current.changed && outermost([...current.changed, ...written, ...unset]);
  const next = { id, document, changed, compared };
  return save(write, next, found, { event: 'entry.update', status });
}

/** Leaves out paths that lie inside another of the paths. */
const outermost = (paths: readonly string[]): readonly string[] =>
  [...new Set(paths)].filter((path) => !paths.some((other) => path.startsWith(`${other}.`)));

/** A copy with a new key and `data` applied: a draft, if the type has drafts. */
export async function cloneInPlace(write: BuildContext, call: DocumentCall): Promise<ReturnedVersion[]> {
  const found = await find(write, call.documentId);
  if (!found) return [];
  const document = await copiedDocument(write, call, found.current.document);
  const id: unknown = document['_id'];
  const next = { id, document, changed: null, insert: { anyKey: true } };
  return [await save(write, next, { id, ...NO_VERSIONS }, { event: 'entry.create', status: 'draft' })];
}

/** Removes both versions. */
export async function deleteInPlace(
  write: BuildContext,
  { documentId, status }: DocumentCall,
): Promise<ReturnedVersion[]> {
  const { type } = write;
  if (status === 'draft' && type.draftAndPublish)
    throw errors.bare('draft-not-deletable', 'Cannot delete a draft document');
  const found = await find(write, documentId);
  if (!found) return [];
  const { id, draft, published } = found;
  if (draft) write.inPlace.push({ kind: 'dropDraft', type, id });
  if (published) write.inPlace.push({ kind: 'delete', type, id });
  recordEvent(write, 'entry.delete', entryOf(id));
  return [
    ...(type.draftAndPublish ? [returnedVersion(write, entryOf(id), 'draft')] : []),
    ...(published ? [returnedVersion(write, entryOf(id), 'published')] : []),
  ];
}

/** Writes the paths that the draft changes to the adopted collection. */
export async function publishInPlace(
  write: BuildContext,
  { documentId }: DocumentCall,
): Promise<ReturnedVersion[]> {
  const found = await find(write, documentId);
  if (!found) return [];
  await publish(write, found.current, found);
  return [returnedVersion(write, entryOf(found.id), 'published')];
}

/** Removes the published document and keeps its content as a draft. */
export async function unpublishInPlace(
  write: BuildContext,
  { documentId }: DocumentCall,
): Promise<ReturnedVersion[]> {
  const { type } = write;
  const found = await find(write, documentId);
  if (!found?.published) return [];
  const { id, current } = found;
  saveDraft(write, current, found);
  write.inPlace.push({ kind: 'delete', type, id });
  recordEvent(write, 'entry.unpublish', entryOf(id));
  return [returnedVersion(write, entryOf(id), 'published')];
}

/** Removes the draft; a document that was never published is thereby deleted. */
export async function discardInPlace(
  write: BuildContext,
  { documentId }: DocumentCall,
): Promise<ReturnedVersion[]> {
  const { type } = write;
  const found = await find(write, documentId);
  if (!found) return [];
  const { id, draft, published } = found;
  if (draft) {
    write.inPlace.push({ kind: 'dropDraft', type, id });
    recordEvent(write, published ? 'entry.draft-discard' : 'entry.delete', entryOf(id));
  }
  return published ? [returnedVersion(write, entryOf(id), 'draft')] : [];
}

/** Create, update, delete and clone for documents of adopted collections (decision 006). */

import type { Document } from 'bson';
import type { Call, DocumentCall } from '../call.js';
import { singleDocument } from '../claims/single.js';
import type { BuildContext } from '../context.js';
import type { ReturnedVersion } from '../versions.js';
import { changesOf } from './build.js';
import { checkWritable, copiedDocument, newDocument, prepared, returnWithEvent, times } from './prepare.js';

export async function createInPlace(write: BuildContext, call: Call): Promise<ReturnedVersion> {
  const { type } = write;
  checkWritable(type);
  const isSingle = type.kind === 'singleType';
  const single = isSingle ? await singleDocument(write) : null;
  const updated = single === null ? null : await updateInPlace(write, { ...call, documentId: single });
  if (updated) return updated;
  const { document, anyKey } = await newDocument(write, call.data);
  write.inPlace.push({ kind: 'insert', type, document, anyKey, onlyIfEmpty: isSingle });
  return returnWithEvent(write, 'entry.create', document['_id']);
}

export async function updateInPlace(
  write: BuildContext,
  { documentId, data }: DocumentCall,
): Promise<ReturnedVersion | null> {
  const { type } = write;
  checkWritable(type);
  const stored = await storedDocument(write, documentId);
  if (!stored) return null;
  const { plan, tools } = await prepared(write, stored, { data, action: 'update' });
  const { set, unset, compared } = changesOf(plan.root, stored, tools);
  write.inPlace.push({
    kind: 'update',
    type,
    id: stored['_id'],
    compared,
    set: { ...set, ...times(type, false) },
    unset,
  });
  return returnWithEvent(write, 'entry.update', stored['_id']);
}

export async function deleteInPlace(
  write: BuildContext,
  { documentId }: DocumentCall,
): Promise<ReturnedVersion[]> {
  const { type } = write;
  checkWritable(type);
  const stored = await storedDocument(write, documentId);
  if (!stored) return [];
  write.inPlace.push({ kind: 'delete', type, id: stored['_id'] });
  return [returnWithEvent(write, 'entry.delete', stored['_id'])];
}

export async function cloneInPlace(write: BuildContext, call: DocumentCall): Promise<ReturnedVersion[]> {
  const { type } = write;
  checkWritable(type);
  const stored = await storedDocument(write, call.documentId);
  if (!stored) return [];
  const document = await copiedDocument(write, call, stored);
  write.inPlace.push({ kind: 'insert', type, document, anyKey: true });
  return [returnWithEvent(write, 'entry.create', document['_id'])];
}

async function storedDocument(write: BuildContext, documentId: string): Promise<Document | null> {
  const id = (await write.adopted.keys(write.type, [documentId])).get(documentId);
  return id === undefined ? null : write.adopted.read(write.type, id);
}

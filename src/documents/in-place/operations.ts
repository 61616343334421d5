/** Create, update and delete of documents that other programs own too (decision 006). */

import type { Document } from 'bson';
import { singleDocument } from '../claims/single.js';
import type { BuildContext } from '../context.js';
import type { CloneParams, CreateParams, DocumentParams, UpdateParams } from '../params.js';
import { planBody, planWrite } from '../plan/plan-write.js';
import type { ShownVersion } from '../versions.js';
import { changesOf, documentOf, placeAll } from './build.js';
import { checkWritable, freshKey, newKey, prepared, times, version } from './prepare.js';

export async function createInPlace(write: BuildContext, params: CreateParams): Promise<ShownVersion> {
  const { type } = write;
  const { data } = params;
  checkWritable(type);
  const isSingle = type.kind === 'singleType';
  const single = isSingle ? await singleDocument(write) : null;
  const updated = single === null ? null : await updateInPlace(write, { ...params, documentId: single });
  if (updated) return updated;
  const plan = planBody(write, { type, data, action: 'create', partial: false });
  const tools = await prepared(write, plan, '');
  const { key, anyKey } = await newKey(write, data);
  const document = { _id: key, ...documentOf(plan.root, {}, tools) };
  placeAll(document, times(type, true));
  write.inPlace.push({ kind: 'insert', type, document, anyKey, alone: isSingle });
  return version(write, 'entry.create', document._id);
}

export async function updateInPlace(
  write: BuildContext,
  { documentId, data }: UpdateParams,
): Promise<ShownVersion | null> {
  const { type } = write;
  checkWritable(type);
  const stored = await storedDocument(write, documentId);
  if (!stored) return null;
  const plan = planBody(write, { type, data, action: 'update', partial: true });
  const tools = await prepared(write, plan, documentId);
  const { set, unset, compared } = changesOf(plan.root, stored, tools);
  write.inPlace.push({
    kind: 'update',
    type,
    id: stored['_id'],
    compared,
    set: { ...set, ...times(type, false) },
    unset,
  });
  return version(write, 'entry.update', stored['_id']);
}

export async function deleteInPlace(
  write: BuildContext,
  { documentId }: DocumentParams,
): Promise<ShownVersion[]> {
  const { type } = write;
  checkWritable(type);
  const stored = await storedDocument(write, documentId);
  if (!stored) return [];
  write.inPlace.push({ kind: 'delete', type, id: stored['_id'] });
  return [version(write, 'entry.delete', stored['_id'])];
}

/** A copy with a key of its own, fields that the schema does not know included, and `data` on top. */
export async function cloneInPlace(
  write: BuildContext,
  { documentId, data = {} }: CloneParams,
): Promise<ShownVersion[]> {
  const { type } = write;
  checkWritable(type);
  const stored = await storedDocument(write, documentId);
  if (!stored) return [];
  const plan = planWrite(write.schema, { type, data, action: 'update', partial: true });
  const tools = await prepared(write, plan, documentId);
  const key = await freshKey(write, type.storage?.id ?? 'objectId');
  const document = { ...documentOf(plan.root, stored, tools), _id: key };
  write.inPlace.push({ kind: 'insert', type, document, anyKey: true });
  return [version(write, 'entry.create', key)];
}

async function storedDocument(write: BuildContext, documentId: string): Promise<Document | null> {
  const id = (await write.adopted.keys(write.type, [documentId])).get(documentId);
  return id === undefined ? null : write.adopted.read(write.type, id);
}

/** Create, update and delete of documents that other programs own too (decision 006). */

import { randomUUID } from 'node:crypto';
import { type Document, ObjectId } from 'bson';
import { errors } from '../../errors.js';
import { keyForms, uuidOf } from '../../schema/key-forms.js';
import type { ContentType, KeyForm } from '../../schema/types.js';
import { type ChangeEventName, changeEvent } from '../../store/outbox.js';
import { keyText } from '../../values/json-form.js';
import { hashPasswords } from '../build/passwords.js';
import type { WriteContext } from '../context.js';
import { createDocumentId } from '../document-id.js';
import type { Version } from '../operations/versions.js';
import type { CloneParams, CreateParams, DocumentParams, UpdateParams } from '../params.js';
import { planWrite } from '../plan/plan-write.js';
import type { WritePlan } from '../plan/write-plan.js';
import { resolveTargets } from '../resolve/targets.js';
import { checkPlan } from '../validate/check.js';
import { type BuildTools, changesOf, documentOf, place } from './build.js';
import { referredValues } from './links.js';

export async function createInPlace(write: WriteContext, { data }: CreateParams): Promise<Version> {
  const { type } = write;
  checkWritable(type);
  const plan = planWrite(write.schema, { type, data, action: 'create', partial: false });
  const tools = await prepared(write, plan, '');
  const { key, anyKey } = await newKey(write, data);
  const document = { _id: key, ...documentOf(plan.root, {}, tools) };
  for (const [path, time] of Object.entries(times(type, true))) place(document, path.split('.'), time);
  write.inPlace.push({ kind: 'insert', type, document, anyKey });
  return version(write, 'entry.create', document._id);
}

export async function updateInPlace(
  write: WriteContext,
  { documentId, data }: UpdateParams,
): Promise<Version | null> {
  const { type } = write;
  checkWritable(type);
  const stored = await storedDocument(write, documentId);
  if (!stored) return null;
  const plan = planWrite(write.schema, { type, data, action: 'update', partial: true });
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

export async function deleteInPlace(write: WriteContext, { documentId }: DocumentParams): Promise<Version[]> {
  const { type } = write;
  checkWritable(type);
  const stored = await storedDocument(write, documentId);
  if (!stored) return [];
  write.inPlace.push({ kind: 'delete', type, id: stored['_id'] });
  return [version(write, 'entry.delete', stored['_id'])];
}

/** A copy with a key of its own, fields that the schema does not know included, and `data` on top. */
export async function cloneInPlace(
  write: WriteContext,
  { documentId, data = {} }: CloneParams,
): Promise<Version[]> {
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

function checkWritable({ storage, collectionName }: ContentType): void {
  if (!storage?.write) throw errors.readOnly(collectionName);
}

/** What a plan needs from the database, once it is checked. */
async function prepared(write: WriteContext, plan: WritePlan, documentId: string): Promise<BuildTools> {
  const { type, schema } = write;
  const resolved = await resolveTargets(write, { type, documentId, locale: null }, plan.needs.targets);
  await checkPlan(write, plan, { mode: 'published', missing: resolved.missing });
  await hashPasswords(plan);
  return { resolved, referred: await referredValues(write.adopted, schema, plan.entries, resolved) };
}

async function storedDocument(write: WriteContext, documentId: string): Promise<Document | null> {
  const id = (await write.adopted.keys(write.type, [documentId])).get(documentId);
  return id === undefined ? null : write.adopted.read(write.type, id);
}

interface NewKey {
  readonly key: unknown;
  readonly anyKey: boolean;
}

/** A key of the collection's own form; `data.documentId` says which, where it may. */
async function newKey(write: WriteContext, data: unknown): Promise<NewKey> {
  const { type } = write;
  const form = type.storage?.id ?? 'objectId';
  const given = (data as { documentId?: unknown } | null)?.documentId;
  if (typeof given === 'string' && given !== '') {
    const [key] = keyForms(form, given);
    if (key === undefined)
      throw errors.validation('document-key-invalid', `documentId must be the text of a ${form}`, {
        key: 'documentId',
        path: 'documentId',
        source: 'body',
      });
    return { key, anyKey: false };
  }
  return { key: await freshKey(write, form), anyKey: true };
}

async function freshKey({ adopted, type }: WriteContext, form: KeyForm): Promise<unknown> {
  switch (form) {
    case 'string':
      return createDocumentId();
    case 'number':
      return (await adopted.greatestKey(type)) + 1;
    case 'uuid':
      return uuidOf(randomUUID());
    default:
      return new ObjectId();
  }
}

function times({ storage, attributes }: ContentType, isNew: boolean): Document {
  if (!storage?.timestamps) return {};
  const now = new Date();
  const at = (name: string): Document => ({ [attributes.get(name)?.stored ?? name]: now });
  return { ...(isNew && at('createdAt')), ...at('updatedAt') };
}

function version({ type, events }: WriteContext, event: ChangeEventName, key: unknown): Version {
  const documentId = keyText(key);
  const id = Number(documentId);
  events.push(
    changeEvent({ event, uid: type.uid, documentId, locale: null, id: Number.isSafeInteger(id) ? id : 0 }),
  );
  return { documentId, locale: null, status: 'published', entry: { documentId } };
}

/** What writes of adopted documents share: the checked plan, keys, times, events. */

import { randomUUID } from 'node:crypto';
import { type Document, ObjectId } from 'bson';
import { errors } from '../../errors.js';
import type { Status } from '../../query/read-plan.js';
import { keyForms, uuidOf } from '../../schema/stored/key-forms.js';
import type { ContentType, KeyForm } from '../../schema/types.js';
import { type ChangeEventName, changeEvent } from '../../store/outbox/outbox.js';
import { keyText } from '../../values/json-form.js';
import { objectAt } from '../../values/plain-object.js';
import type { BuildContext } from '../context.js';
import { createDocumentId } from '../document-id.js';
import { hashPasswords } from '../entry/passwords.js';
import type { CloneParams } from '../params.js';
import { planBody, planWrite } from '../plan/plan-write.js';
import type { WritePlan } from '../plan/write-plan.js';
import { checkAllowedFiles } from '../resolve/allowed-files.js';
import { resolveTargets } from '../resolve/targets.js';
import { checkPlan, modeOf } from '../validate/check.js';
import type { ShownVersion } from '../versions.js';
import { type BuildTools, documentOf, placeAll } from './build.js';
import { referredValues } from './links.js';

export function checkWritable({ storage, collectionName }: ContentType): void {
  if (!storage?.write) throw errors.readOnly(collectionName);
}

/** What a plan needs from the database, once it is checked. */
export async function prepared(
  write: BuildContext,
  plan: WritePlan,
  documentId: string,
): Promise<BuildTools> {
  const { type, schema } = write;
  const resolved = await resolveTargets(write, { type, documentId, locale: null }, plan.needs.targets);
  await checkPlan(write, plan, { mode: modeOf(type), missing: resolved.missing });
  await checkAllowedFiles(write, plan, resolved);
  await hashPasswords(plan);
  return {
    resolved,
    referred: await referredValues(write.adopted, schema, plan.entries, resolved),
    collectionOf: (uid) => schema.contentTypes.get(uid)?.collectionName ?? '',
  };
}

interface NewDocument {
  readonly document: Document;
  /** Any other key would do as well. */
  readonly anyKey: boolean;
}

/** The document that a body makes. */
export async function newDocument(write: BuildContext, data: unknown): Promise<NewDocument> {
  const { type } = write;
  const plan = planBody(write, { type, data, action: 'create' });
  const tools = await prepared(write, plan, '');
  const { key, anyKey } = await newKey(write, data);
  const document = { _id: key, ...documentOf(plan.root, {}, tools) };
  placeAll(document, times(type, true));
  return { document, anyKey };
}

/** A copy of a document with a key of its own, fields that the schema does not know included, and `data` on top. */
export async function copiedDocument(
  write: BuildContext,
  { documentId, data = {} }: CloneParams,
  stored: Document,
): Promise<Document> {
  const { type } = write;
  const plan = planWrite(write.schema, { type, data, action: 'update' });
  const tools = await prepared(write, plan, documentId);
  return { ...documentOf(plan.root, stored, tools), _id: await freshKey(write, keyFormOf(type)) };
}

const keyFormOf = ({ storage }: ContentType): KeyForm => storage?.id ?? 'objectId';

interface NewKey extends Pick<NewDocument, 'anyKey'> {
  readonly key: unknown;
}

/** A key of the collection's own form; `data.documentId` says which, where it may. */
async function newKey(write: BuildContext, data: unknown): Promise<NewKey> {
  const { type } = write;
  const form = keyFormOf(type);
  const given = objectAt(data)['documentId'];
  if (typeof given === 'string' && given !== '') {
    const [key] = keyForms(form, given);
    if (key === undefined)
      throw errors.validation('document-key-invalid', `documentId must be a ${form}, written as a string`, {
        key: 'documentId',
        path: 'documentId',
        source: 'body',
      });
    return { key, anyKey: false };
  }
  return { key: await freshKey(write, form), anyKey: true };
}

async function freshKey({ adopted, type }: BuildContext, form: KeyForm): Promise<unknown> {
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

export function times({ storage, attributes }: ContentType, isNew: boolean): Document {
  if (!storage?.timestamps) return {};
  const now = new Date();
  const at = (name: string): Document => ({ [attributes.get(name)?.stored ?? name]: now });
  return { ...(isNew && at('createdAt')), ...at('updatedAt') };
}

export function recordEvent({ type, events }: BuildContext, event: ChangeEventName, key: unknown): void {
  const documentId = keyText(key);
  const id = Number(documentId);
  events.push(
    changeEvent({ event, uid: type.uid, documentId, locale: null, id: Number.isSafeInteger(id) ? id : 0 }),
  );
}

export function versionOf(key: unknown, status: Status = 'published'): ShownVersion {
  const documentId = keyText(key);
  return { documentId, locale: null, status, entry: { documentId } };
}

/** As `versionOf`, with an event. */
export function version(write: BuildContext, event: ChangeEventName, key: unknown): ShownVersion {
  recordEvent(write, event, key);
  return versionOf(key);
}

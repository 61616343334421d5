/** What writes of adopted documents share: the validated plan, keys, times, events. */

import { randomUUID } from 'node:crypto';
import { type Document, ObjectId } from 'bson';
import { errors } from '../../errors.js';
import { keyForms, uuidOf } from '../../schema/stored/key-forms.js';
import type { ContentType, KeyForm } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import { keyText } from '../../values/json-form.js';
import type { DocumentCall } from '../call.js';
import type { BuildContext } from '../context.js';
import { createDocumentId } from '../document-id.js';
import type { WriteBody } from '../plan/plan-write.js';
import type { WritePlan } from '../plan/write-plan.js';
import { prepareWrite } from '../prepare-write.js';
import { documentOf, type InPlaceTools, placeAll } from './build.js';
import { hiddenReferences, referredValues } from './links.js';
import { type ModelOf, repeatedPaths } from './stored-items.js';

export function checkWritable({ storage, collectionName }: ContentType): void {
  if (!storage?.write) throw errors.readOnly(collectionName);
}

/** Prepares a body, and what its changes to the stored document are computed with; null: to a new document. */
export async function prepared(
  write: BuildContext,
  stored: Document | null,
  body: Pick<WriteBody, 'data' | 'action'>,
): Promise<PreparedInPlace> {
  const { type, schema } = write;
  const documentId = stored ? keyText(stored['_id']) : '';
  const modelOf: ModelOf = (component) => schema.components.get(component);
  const { plan, resolved } = await prepareWrite(
    write,
    { type, documentId, locale: null },
    { ...body, ...(stored && { excused: ({ root }) => repeatedPaths(root, stored, modelOf) }) },
  );
  return {
    plan,
    tools: {
      resolved,
      referred: await referredValues(write.adopted, schema, plan.entries, resolved),
      hidden: await hiddenReferences(write.adopted, schema, plan.entries, stored),
      modelOf,
      collectionOf: (uid) => schema.contentTypes.get(uid)?.collectionName ?? '',
    },
  };
}

interface PreparedInPlace {
  readonly plan: WritePlan;
  readonly tools: InPlaceTools;
}

interface NewDocument {
  readonly document: Document;
  /** The key was generated, so another one can be tried if it is taken. */
  readonly anyKey: boolean;
}

/** The document that a body creates. */
export async function newDocument(write: BuildContext, data: unknown): Promise<NewDocument> {
  const { type } = write;
  const { plan, tools } = await prepared(write, null, { data, action: 'create' });
  const { key, anyKey } = await newKey(write, plan);
  const document = { _id: key, ...documentOf(plan.root, null, tools) };
  placeAll(document, times(type, true));
  return { document, anyKey };
}

/**
 * A copy of a document with its own key and times and with `data` applied. Fields unknown to the schema are
 * copied too.
 */
export async function copiedDocument(
  write: BuildContext,
  { data = {} }: DocumentCall,
  stored: Document,
): Promise<Document> {
  const { type } = write;
  const { plan, tools } = await prepared(write, stored, { data, action: 'update' });
  const document = { ...documentOf(plan.root, stored, tools), _id: await freshKey(write, keyFormOf(type)) };
  placeAll(document, times(type, true));
  return document;
}

const keyFormOf = ({ storage }: ContentType): KeyForm => storage?.id ?? 'objectId';

interface NewKey extends Pick<NewDocument, 'anyKey'> {
  readonly key: unknown;
}

/** A key in the form that the collection uses; a `documentId` in the body chooses it. */
async function newKey(write: BuildContext, { original }: WritePlan): Promise<NewKey> {
  const { type } = write;
  const form = keyFormOf(type);
  const given = original['documentId'];
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

/**
 * The documentId and numeric id of an adopted document: its key as text, and as a number if it is one
 * (otherwise 0).
 */
export function entryOf(key: unknown): Entry {
  const documentId = keyText(key);
  const id = Number(documentId);
  return { documentId, id: Number.isSafeInteger(id) ? id : 0 };
}

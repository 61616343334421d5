import { collectionName } from '../../schema/stored/collections.js';
import type { ContentType } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import { isObject } from '../../values/plain-object.js';
import type { DocumentCall } from '../call.js';
import { type BuildContext, type DocumentRef, refOf } from '../context.js';
import { createDocumentId } from '../document-id.js';
import { writeDraft } from '../entry/draft.js';
import { pickStored } from '../entry/inherit-values.js';
import { walkAllItems } from '../plan/items.js';
import { targetUid } from '../plan/relation-input.js';
import { inverseAsData } from '../relations/inverse.js';
import { readLinks } from '../relations/stored-links.js';
import { type ReturnedVersion, recordEvent, returnedVersion, writtenStatus } from '../versions.js';
import { documentFilter } from './locales.js';
import { mergedData } from './merged-data.js';

/**
 * Copies the drafts of a document, in the chosen locales, under a new documentId with `data` applied. Relations that
 * others own are copied as well: their owners refer to the copy, too, or instead where they refer to one document.
 */
export async function cloneDocument(write: BuildContext, call: DocumentCall): Promise<ReturnedVersion[]> {
  const { type } = write;
  const drafts = await write.read(collectionName(type, 'draft'), documentFilter(write, call));
  const documentId = createDocumentId();
  const shown: ReturnedVersion[] = [];
  for (const draft of drafts) {
    const document: DocumentRef = { ...refOf(type, draft), documentId };
    const inherited = contentOf(type, draft);
    const data = await dataOver(write, draft, call.data);
    const entry = await writeDraft(write, document, { data, stored: null, inherited });
    recordEvent(write, 'entry.create', entry);
    shown.push(returnedVersion(write, entry, writtenStatus(type, 'draft')));
  }
  return shown;
}

/** What `data` make of the original: its inverse links, and each given attribute merged into its own. */
async function dataOver(write: BuildContext, draft: Entry, data: unknown): Promise<unknown> {
  const { schema, type } = write;
  const inverse = await inverseAsData(write, refOf(type, draft));
  if (!isObject(data)) return data ?? inverse;
  const exists = await existing(write, draft);
  return { ...inverse, ...mergedData({ schema, type, draft, inverse, exists }, data) };
}

/** Which documents that lists of links refer to exist: a reference may outlive its target (decision 003). */
async function existing(
  { schema, type, read }: BuildContext,
  draft: Entry,
): Promise<(uid: string, documentId: string) => boolean> {
  const named = new Map<string, Set<string>>();
  for (const { item, model } of [{ item: draft, model: type }, ...walkAllItems(schema, type, draft)])
    for (const attribute of model.attributes.values()) {
      if ((attribute.kind !== 'relation' && attribute.kind !== 'media') || !attribute.many) continue;
      for (const { documentId, type: uid } of readLinks(item, attribute)) {
        const target = targetUid(attribute, uid);
        named.set(target, (named.get(target) ?? new Set()).add(documentId));
      }
    }
  const found = new Set<string>();
  for (const [uid, ids] of named) {
    const target = schema.contentTypes.get(uid);
    if (!target) continue;
    const collections = new Set([collectionName(target, 'draft'), collectionName(target, 'published')]);
    const filter = { documentId: { $in: [...ids] } };
    const rows = target.storage
      ? []
      : await Promise.all([...collections].map((collection) => read(collection, filter, ['documentId'])));
    // Adopted documents are looked up when the data is.
    const ofTarget = target.storage ? [...ids] : rows.flat().map((row) => String(row['documentId']));
    for (const documentId of ofTarget) found.add(`${uid} ${documentId}`);
  }
  return (uid, documentId) => found.has(`${uid} ${documentId}`);
}

/** The non-system attributes of an entry. */
const contentOf = (type: ContentType, entry: Entry): Entry =>
  pickStored(entry, (name) => type.attributes.get(name)?.system === false);

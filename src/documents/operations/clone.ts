import { collectionName } from '../../schema/stored/collections.js';
import type { ContentType } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import { isObject } from '../../values/plain-object.js';
import type { DocumentCall } from '../call.js';
import { type BuildContext, type DocumentRef, refOf } from '../context.js';
import { createDocumentId } from '../document-id.js';
import { writeDraft } from '../entry/draft.js';
import { pickStored } from '../entry/inherit-values.js';
import { inverseAsData } from '../relations/inverse.js';
import { type ReturnedVersion, recordEvent, returnedVersion, writtenStatus } from '../versions.js';
import { documentFilter } from './locales.js';

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
    const data = over(await inverseAsData(write, refOf(type, draft)), call.data);
    const entry = await writeDraft(write, document, { data, stored: null, inherited });
    recordEvent(write, 'entry.create', entry);
    shown.push(returnedVersion(write, entry, writtenStatus(type, 'draft')));
  }
  return shown;
}

/** `data` over the links of the original. */
function over(links: Entry, data: unknown): unknown {
  if (!isObject(data)) return data ?? links;
  const given = Object.entries(data).filter(([, value]) => value !== undefined);
  return { ...links, ...Object.fromEntries(given) };
}

/** The non-system attributes of an entry. */
const contentOf = (type: ContentType, entry: Entry): Entry =>
  pickStored(entry, (name) => type.attributes.get(name)?.system === false);

import { collectionName } from '../../schema/stored/collections.js';
import type { ContentType } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import type { DocumentCall } from '../call.js';
import { type BuildContext, type DocumentRef, refOf } from '../context.js';
import { createDocumentId } from '../document-id.js';
import { writeDraft } from '../entry/draft.js';
import { pickStored } from '../entry/inherit-values.js';
import { type ReturnedVersion, recordEvent, returnedVersion, writtenStatus } from '../versions.js';
import { documentFilter } from './locales.js';

/** Copies the drafts of a document, in the chosen locales, under a new documentId with `data` applied. */
export async function cloneDocument(write: BuildContext, call: DocumentCall): Promise<ReturnedVersion[]> {
  const { type } = write;
  const drafts = await write.read(collectionName(type, 'draft'), documentFilter(write, call));
  const documentId = createDocumentId();
  const shown: ReturnedVersion[] = [];
  for (const draft of drafts) {
    const document: DocumentRef = { ...refOf(type, draft), documentId };
    const inherited = contentOf(type, draft);
    const entry = await writeDraft(write, document, { data: call.data ?? {}, stored: null, inherited });
    recordEvent(write, 'entry.create', entry);
    shown.push(returnedVersion(write, entry, writtenStatus(type, 'draft')));
  }
  return shown;
}

/** The non-system attributes of an entry. */
const contentOf = (type: ContentType, entry: Entry): Entry =>
  pickStored(entry, (name) => type.attributes.get(name)?.system === false);

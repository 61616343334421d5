import type { Entry } from '../../store/changes.js';
import { collectionName } from '../../store/collections.js';
import { writeDraft } from '../build/draft.js';
import { pickStored } from '../build/inherit-values.js';
import type { Source } from '../context.js';
import { createDocumentId } from '../document-id.js';
import type { CloneParams } from '../params.js';
import { localeFilter } from './locales.js';
import { type Attempt, tell, type Version, versionShown } from './operation.js';
import { sourceOf } from './publish.js';

/** Copies the drafts of a document, in every locale or the chosen ones, under a new documentId with `data` on top (rules G.8). */
export async function cloneDocument(attempt: Attempt, params: CloneParams): Promise<Version[]> {
  const { context, type, changes } = attempt;
  const locales =
    params.locale === undefined
      ? {}
      : localeFilter(type, params.locale, context.config.plugins.i18n.defaultLocale);
  const drafts = await context.read(collectionName(type, 'draft'), {
    documentId: params.documentId,
    ...locales,
  });
  const documentId = createDocumentId();
  const shown: Version[] = [];
  for (const draft of drafts) {
    const source: Source = { ...sourceOf(attempt, draft), documentId };
    const entry = await writeDraft(context, changes, {
      source,
      data: params.data ?? {},
      action: 'create',
      stored: null,
      shared: contentOf(type, draft),
    });
    tell(attempt, 'entry.create', entry);
    shown.push(versionShown(entry, type.draftAndPublish ? 'draft' : 'published'));
  }
  return shown;
}

/** The own attributes of an entry. */
const contentOf = (type: Source['type'], entry: Entry): Entry =>
  pickStored(entry, (name) => type.attributes.get(name)?.system === false);

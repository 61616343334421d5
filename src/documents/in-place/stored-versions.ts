/** What is stored of an adopted document: itself, and its draft if its type has drafts. */
import type { Document } from 'bson';
import type { AdoptedDraft, StoredDraft } from '../../store/adopted/in-place.js';
import { valueAt } from '../../values/path.js';
import type { BuildContext } from '../context.js';
import { place, remove } from './build.js';
import { checkWritable } from './prepare.js';

/** Both versions of a document. */
export interface StoredVersions {
  readonly id: unknown;
  readonly draft: StoredDraft | null;
  readonly published: Document | null;
}

/** Of a new document. */
export const NO_VERSIONS: Omit<StoredVersions, 'id'> = { draft: null, published: null };

/** A document that exists in at least one version; `current`: what a draft of it contains. */
export async function find(
  write: BuildContext,
  documentId: string,
): Promise<(StoredVersions & { readonly current: AdoptedDraft }) | null> {
  checkWritable(write.type);
  const id = (await write.adopted.keys(write.type, [documentId])).get(documentId);
  if (id === undefined) return null;
  const found = await versionsAt(write, id);
  const current = currentOf(found);
  return current && { ...found, current };
}

export async function versionsAt({ adopted, type }: BuildContext, id: unknown): Promise<StoredVersions> {
  const [draft, published] = await Promise.all([
    type.draftAndPublish ? adopted.readDraft(type, id) : null,
    adopted.read(type, id),
  ]);
  return { id, draft, published };
}

/**
 * The current state of the draft: its changed paths on top of what is published now, so that other programs'
 * later changes are kept. Null: the document no longer exists.
 */
function currentOf({ id, draft, published }: StoredVersions): AdoptedDraft | null {
  if (!published) return draft;
  if (!draft) return { id, document: published, changed: [] };
  const changed = draft.changed ?? Object.keys(draft.document).filter((path) => path !== '_id');
  const document = { ...published };
  for (const path of changed) {
    const value = valueAt(draft.document, path);
    const parts = path.split('.');
    if (value === undefined) remove(document, parts);
    else place(document, parts, value);
  }
  return { id, document, changed };
}

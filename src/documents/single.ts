import type { Entry } from '../store/changes.js';
import { collectionName } from '../store/collections.js';
import type { Attempt } from './operation.js';

/** Which document a single type has, by uid: one note each, so that two first writes at once cannot make two. */
const SINGLES = 'mangrove.singles';

/** The documentId of a single type's document; null before the first write. */
export async function singleDocument({ context, type }: Attempt): Promise<string | null> {
  const [entry] = await context.read(collectionName(type, 'draft'), {}, ['documentId']);
  return entry ? String(entry['documentId']) : null;
}

/** Notes the new document of a single type. A second writer meets the same `_id` and starts again. */
export async function claimSingle({ context, type, changes }: Attempt, documentId: string): Promise<void> {
  const [stale] = await readNote(context, type.uid);
  if (stale) changes.replace(SINGLES, stale, { documentId });
  else changes.insert(SINGLES, { _id: type.uid, documentId });
}

/** Drops the note when the last entry of the document goes. */
export async function releaseSingle(
  { context, type, changes }: Attempt,
  gone: readonly Entry[],
): Promise<void> {
  const left = await context.read(collectionName(type, 'draft'), {}, ['locale']);
  if (left.some(({ _id }) => !gone.some((entry) => String(entry['_id']) === String(_id)))) return;
  const [note] = await readNote(context, type.uid);
  if (note) changes.remove(SINGLES, note);
}

const readNote = (context: Attempt['context'], uid: string): Promise<Entry[]> =>
  context.read(SINGLES, { _id: uid });

import { WriteConflict } from '../../store/apply-step.js';
import type { Entry } from '../../store/changes.js';
import { collectionName } from '../../store/collections.js';
import type { DocumentsContext, WriteContext } from '../context.js';

/**
 * Which document a single type has, by uid: one note each. Whoever makes an entry of it, in whatever locale, writes the note too, so
 * that two first writes at once cannot make two documents.
 */
const SINGLES = 'mangrove.singles';

/**
 * The documentId of a single type's document; null before the first write. The note is asked second: entries that were made between
 * the two reads have noted theirs.
 */
export async function singleDocument(write: WriteContext): Promise<string | null> {
  const [entry] = await write.read(collectionName(write.type, 'draft'), {}, ['documentId']);
  const [named] = entry ? [entry] : await readNote(write, write.type.uid);
  return named ? String(named['documentId']) : null;
}

/**
 * Notes the document of which an entry is made. Of two that do so at once the second meets a changed note and starts again, as does
 * one that meets the note of another document, unless it was made behind our back and has entries.
 */
export async function claimSingle(write: WriteContext, documentId: string): Promise<void> {
  const { type, changes, read } = write;
  const [note] = await readNote(write, type.uid);
  if (!note) return changes.insert(SINGLES, { _id: type.uid, documentId });
  if (note['documentId'] !== documentId) {
    const [entry] = await read(collectionName(type, 'draft'), { documentId }, ['documentId']);
    if (!entry) throw new WriteConflict(SINGLES);
  }
  changes.replace(SINGLES, note, { documentId });
}

/** Drops the note when the last entry of the document goes. */
export async function releaseSingle(write: WriteContext, gone: readonly Entry[]): Promise<void> {
  const { type, changes, read } = write;
  const left = await read(collectionName(type, 'draft'), {}, ['locale']);
  if (left.some(({ _id }) => !gone.some((entry) => String(entry['_id']) === String(_id)))) return;
  const [note] = await readNote(write, type.uid);
  if (note) changes.remove(SINGLES, note);
}

const readNote = ({ read }: DocumentsContext, uid: string): Promise<Entry[]> => read(SINGLES, { _id: uid });

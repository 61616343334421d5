import type { InPlaceStep } from '../../store/adopted/in-place.js';
import { isDuplicateKey } from '../../store/connection/duplicate.js';
import { WriteConflict } from '../../store/entries/apply-step.js';
import type { CommitContext } from '../context.js';
import { duplicatePaths, refusalOf } from './refusals.js';

/** Sends what a write changes in adopted documents. Throws a 400 that names the attribute for what their database refuses. */
export async function commitInPlace({ inPlace, events, adopted, schema }: CommitContext): Promise<void> {
  if (inPlace.length === 0) return;
  for (const step of inPlace) {
    try {
      await adopted.run(step);
    } catch (error) {
      if (step.kind === 'insert' && step.anyKey && isDuplicateKey(error) && isOfKey(error))
        throw new WriteConflict(step.type.collectionName);
      throw refusalOf(error, step.type, schema, writtenBy(step));
    }
  }
  await adopted.tell(
    events,
    inPlace.some(({ kind }) => kind !== 'saveDraft' && kind !== 'dropDraft'),
  );
}

const isOfKey = (error: unknown): boolean => duplicatePaths(error).join() === '_id';

function writtenBy(step: InPlaceStep): Readonly<Record<string, unknown>> {
  if (step.kind === 'insert') return step.document;
  return step.kind === 'update' ? step.set : {};
}

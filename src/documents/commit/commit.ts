import { errors } from '../../errors.js';
import { WriteConflict } from '../../store/apply-step.js';
import { collectionName } from '../../store/collections.js';
import { isDuplicateKey } from '../../store/duplicate.js';
import type { Attempt } from '../operations/operation.js';
import { sourceOf } from '../operations/publish.js';
import { findTaken } from '../resolve/unique.js';
import { assertStorable } from './bson-limits.js';

/**
 * Commits what an attempt gathered. Where a unique index refuses: a 400 that names the attributes (rules E.5), or `WriteConflict` where
 * it was about the document itself (two writers made the same version).
 */
export async function commitAttempt(attempt: Attempt): Promise<void> {
  const { context, changes, events } = attempt;
  const steps = changes.steps();
  for (const { after } of steps) if (after) assertStorable(after);
  try {
    await context.writer.commit({ steps, events });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    const live = collectionName(attempt.type, 'published');
    for (const { collection, after } of steps) {
      if (collection !== live || !after) continue;
      const taken = await findTaken(context, sourceOf(attempt, after), after);
      if (taken.length > 0) throw errors.fields(taken);
    }
    throw new WriteConflict(live);
  }
}

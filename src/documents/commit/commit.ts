import { errors } from '../../errors.js';
import { WriteConflict } from '../../store/apply-step.js';
import { collectionName } from '../../store/collections.js';
import { isDuplicateKey } from '../../store/duplicate.js';
import { refOf, type WriteContext } from '../context.js';
import { planWrite } from '../plan/plan-write.js';
import { findTaken } from '../resolve/unique.js';
import { giveStoredForms } from '../validate/check.js';
import { assertStorable } from './bson-limits.js';

/**
 * Commits what an attempt gathered. Where a unique index refuses: a 400 that names the attributes (rules E.5), or `WriteConflict` where
 * it was about the document itself (two writers made the same version).
 */
export async function commitWrite(write: WriteContext): Promise<void> {
  const { type, changes, events, schema } = write;
  const steps = changes.steps();
  for (const { after } of steps) if (after) assertStorable(after);
  try {
    await write.writer.commit({ steps, events });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    const live = collectionName(type, 'published');
    for (const { collection, after } of steps) {
      if (collection !== live || !after) continue;
      const plan = planWrite(schema, { type, data: {}, action: 'create', partial: true, inherited: after });
      giveStoredForms(plan);
      const taken = await findTaken(write, refOf(type, after), plan);
      if (taken.length > 0) throw errors.fields(taken);
    }
    throw new WriteConflict(live);
  }
}

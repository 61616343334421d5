import { errors } from '../../errors.js';
import { collectionName } from '../../store/connection/collections.js';
import { isDuplicateKey } from '../../store/connection/duplicate.js';
import { WriteConflict } from '../../store/entries/apply-step.js';
import { claimSteps } from '../claims/claim-steps.js';
import { findTaken } from '../claims/taken.js';
import { type CommitContext, refOf } from '../context.js';
import { commitInPlace } from '../in-place/commit.js';
import { assertStorable } from './bson-limits.js';
import { sentAs } from './sent-as.js';

/**
 * Commits what an attempt gathered, with the claims that it brings. Where one is taken: a 400 that names the attributes (rules E.5), or
 * `WriteConflict` where it was about a one-to-one or the document itself (two writers made the same version).
 */
export async function commitWrite(write: CommitContext): Promise<void> {
  const { type, changes, events } = write;
  const steps = sentAs(write.schema, changes.steps());
  for (const { after, before } of steps) if (after) assertStorable(after, before);
  await commitInPlace(write);
  const claims = await claimSteps(write);
  const { budget } = write;
  // Until here the write can be given up without a trace; from here on it is finished, whether or not anyone waits for it.
  budget?.signal.throwIfAborted();
  budget?.clock.stop();
  try {
    await write.writer.commit({ steps: [...claims, ...steps], events });
  } catch (error) {
    budget?.clock.start();
    if (!isDuplicateKey(error)) throw error;
    const live = collectionName(type, 'published');
    for (const { collection, after } of steps) {
      if (collection !== live || !after) continue;
      const taken = await findTaken(write, refOf(type, after), after);
      if (taken.length > 0) throw errors.fields(taken);
    }
    throw new WriteConflict(live);
  }
}

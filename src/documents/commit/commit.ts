import { errors } from '../../errors.js';
import { isDuplicateKey } from '../../store/connection/duplicate.js';
import { isUnavailable } from '../../store/connection/unavailable.js';
import { WriteConflict } from '../../store/entries/apply-step.js';
import { claimSteps } from '../claims/claim-steps.js';
import { findTaken } from '../claims/taken.js';
import { type CommitContext, refOf } from '../context.js';
import { versionSteps } from '../history/version-steps.js';
import { commitInPlace } from '../in-place/commit.js';
import { versionsOf } from '../stored-versions.js';
import { noteWritten } from '../work.js';
import { assertStorable } from './bson-limits.js';
import { reportedEvents } from './reported-events.js';
import { withSendOptions } from './send-options.js';

/**
 * Commits what an attempt gathered, with its claims. Throws a 400 that names the attributes if a unique value
 * is taken, or `WriteConflict` if a one-to-one target or the document itself is (two writers created the same
 * version). If the database was unavailable for too long, or others held its documents, it is a 503, after
 * which the write may be stored or not.
 */
export async function commitWrite(write: CommitContext): Promise<void> {
  const { schema, changes } = write;
  const steps = withSendOptions(schema, changes.steps());
  for (const { after, before } of steps) if (after) assertStorable(after, before);
  const events = reportedEvents(write, steps);
  await commitInPlace({ ...write, events });
  const claims = await claimSteps(write);
  const versions = await versionSteps(write, steps, events);
  const { budget } = write;
  // Up to here the write can be abandoned without a trace; from here on it is completed even if the client is
  // gone.
  budget?.signal.throwIfAborted();
  budget?.clock.stop();
  try {
    await write.writer.commit({ steps: [...claims, ...steps, ...versions], events });
    noteWritten(changes.steps());
  } catch (error) {
    budget?.clock.start();
    if (isUnavailable(error)) throw errors.unavailable(error);
    if (!isDuplicateKey(error)) throw error;
    const versions = versionsOf(schema);
    for (const { collection, after } of steps) {
      const { type, status } = versions.get(collection) ?? {};
      if (!type || status !== 'published' || !after) continue;
      const taken = await findTaken(write, refOf(type, after), after);
      if (taken.length > 0) throw errors.fields(taken);
    }
    throw new WriteConflict('a unique index');
  }
}

import { ScheduleGone } from '../documents/carried-out.js';
import type { Documents } from '../documents/types.js';
import { ApiError, errors } from '../errors.js';
import type { RecordEvent } from '../events/events.js';
import type { Store } from '../store/client.js';
import { isTemporary } from '../store/connection/unavailable.js';
import { revisionOf } from '../store/entries/changes.js';
import { failSchedule, type ScheduleError, type StoredSchedule } from '../store/entries/schedules.js';

export interface ScheduledParts {
  readonly store: Pick<Store, 'db'>;
  readonly documents: Pick<Documents, 'carryingOut'>;
  readonly record: RecordEvent;
}

/** Carries out a schedule, or notes why it cannot be. Throws what may pass: the schedule stays as it is. */
export async function carryOut(
  { store: { db }, documents, record }: ScheduledParts,
  schedule: StoredSchedule,
): Promise<void> {
  const { _id, _rev, uid, documentId, locale, action, at, by } = schedule;
  const due = { id: _id, revision: revisionOf({ _rev }), isDone: false };
  let done = 0;
  try {
    const act = documents.carryingOut(due, { by, requestId: null })(uid)[action];
    if (!act) throw errors.validation('drafts-not-enabled', `${uid} has no drafts: draftAndPublish is off`);
    const { entries } = await act({ documentId, ...(locale !== null && { locale }) });
    // A hook has answered in its place.
    if (!due.isDone)
      throw errors.application('schedule-refused', `Code of the project has not let it ${action}`);
    done = entries.length;
  } catch (error) {
    if (error instanceof ScheduleGone) return;
    if (!due.isDone && isTemporary(error)) throw error;
    if (!due.isDone) {
      const isNoted = await failSchedule(db, schedule, described(error));
      if (isNoted) record({ name: 'schedule-failed', action, uid, documentId, err: error });
      return;
    }
    // It was done; only showing it failed.
    done = 1;
  }
  const ms = Math.max(0, Date.now() - at.getTime());
  if (done === 0) record({ name: 'schedule-without-effect', action, uid, documentId });
  else record({ name: 'schedule-carried-out', action, uid, documentId, ms });
}

/** The error as it is shown to those who may see the schedule. */
const described = (error: unknown): ScheduleError => {
  if (!(error instanceof ApiError)) return { name: 'InternalServerError', message: 'Internal Server Error' };
  const { name, message, faults } = error;
  const all = faults.map((fault) => `${fault.path.join('.')}: ${fault.message}`);
  return { name, message: faults.length > 1 ? all.join('; ') : message };
};

/** Writes that carry out a schedule: each is committed together with the removal of its schedule. */
import { revisionOf } from '../store/entries/changes.js';
import { SCHEDULED } from '../store/entries/schedules.js';
import type { BuildContext, DueSchedule } from './context.js';

/** The schedule has been carried out, changed or cancelled since it was read. */
export class ScheduleGone extends Error {
  override readonly name = 'ScheduleGone';
}

/** Adds the removal of a schedule to what is committed. @throws ScheduleGone */
export async function takeSchedule(
  { read, changes }: Pick<BuildContext, 'read' | 'changes'>,
  { id, revision }: DueSchedule,
): Promise<void> {
  const [stored] = await read(SCHEDULED, { _id: id });
  if (!stored || revisionOf(stored) !== revision) throw new ScheduleGone();
  changes.remove(SCHEDULED, stored);
}

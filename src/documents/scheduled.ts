import type { ContentType } from '../schema/types.js';
import type { EntryFilter } from '../store/entries/entries.js';
import { SCHEDULED, type ScheduledAction, type StoredSchedule } from '../store/entries/schedules.js';
import type { Author } from '../store/outbox/outbox.js';
import type { ResolveContext } from './context.js';

/** An action that is carried out later. */
export interface Schedule {
  readonly id: string;
  readonly action: ScheduledAction;
  readonly documentId: string;
  readonly locale: string | null;
  readonly at: Date;
  /** `failed`: it was refused when it was due, and is not tried again. */
  readonly state: 'waiting' | 'failed';
  /** Why it has failed; null if it has not. */
  readonly error: { readonly name: string; readonly message: string } | null;
  /** Who scheduled it, and when. */
  readonly by: Author;
  readonly createdAt: Date;
}

/** A schedule as it is shown. */
export const shownSchedule = ({ _id, _rev, uid, ...schedule }: StoredSchedule): Schedule => ({
  id: _id,
  ...schedule,
});

/** The schedules of a type, the next one first. */
export async function scheduledIn(
  { read }: Pick<ResolveContext, 'read'>,
  { uid }: ContentType,
  filter: EntryFilter = {},
): Promise<readonly Schedule[]> {
  const found = (await read(SCHEDULED, { uid, ...filter })) as unknown as StoredSchedule[];
  return found
    .map(shownSchedule)
    .sort((a, b) => a.at.getTime() - b.at.getTime() || a.action.localeCompare(b.action));
}

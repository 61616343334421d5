import type { ContentType } from '../schema/types.js';
import type { EntryFilter } from '../store/entries/entries.js';
import { SCHEDULED, type StoredSchedule } from '../store/entries/schedules.js';
import type { ResolveContext } from './context.js';

/** An action that is carried out later, as it is shown. */
export interface Schedule extends Omit<StoredSchedule, '_id' | '_rev' | 'uid'> {
  readonly id: string;
  readonly state: 'waiting' | 'failed';
}

export const shownSchedule = ({ _id, _rev, uid, error, ...schedule }: StoredSchedule): Schedule => ({
  id: _id,
  ...schedule,
  state: error === null ? 'waiting' : 'failed',
  error,
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

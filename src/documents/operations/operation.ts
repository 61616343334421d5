import type { Status } from '../../query/read-plan.js';
import type { ContentType } from '../../schema/types.js';
import type { Changes, Entry } from '../../store/changes.js';
import { type ChangeEvent, type ChangeEventName, changeEvent } from '../../store/outbox.js';
import type { DocumentsContext } from '../context.js';

/** Which stored version of a document an answer shows. */
export interface Version {
  readonly documentId: string;
  readonly locale: string | null;
  readonly status: Status;
  /** As it is stored once the write is done. */
  readonly entry: Entry;
}

/** One attempt at a write: its changes are gathered here and committed together afterwards. */
export interface Attempt {
  readonly context: DocumentsContext;
  readonly type: ContentType;
  readonly changes: Changes;
  readonly events: ChangeEvent[];
}

/** Notes an event about `entry`, to be sent with the write. */
export function tell({ events, type }: Attempt, event: ChangeEventName, entry: Entry): void {
  events.push(
    changeEvent({
      event,
      uid: type.uid,
      documentId: String(entry['documentId']),
      locale: localeOf(entry),
      id: Number(entry['id']),
    }),
  );
}

export const versionShown = (entry: Entry, status: Status): Version => ({
  documentId: String(entry['documentId']),
  locale: localeOf(entry),
  status,
  entry,
});

const localeOf = (entry: Entry): string | null =>
  typeof entry['locale'] === 'string' ? entry['locale'] : null;

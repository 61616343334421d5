import { errors } from '../errors.js';
import type { Status } from '../query/read-plan.js';
import type { Entry } from '../store/entries/changes.js';
import { type ChangeEventName, changeEvent } from '../store/outbox/outbox.js';
import { type DocumentRef, type Gathered, refOf } from './context.js';

/** Which stored version of a document an answer shows. */
export interface ShownVersion {
  readonly documentId: string;
  readonly locale: string | null;
  readonly status: Status;
  /** As it is stored once the write is done. */
  readonly entry: Entry;
}

/** Notes an event about `entry`, to be sent with the write. */
export function recordEvent({ events, type }: Gathered, event: ChangeEventName, entry: Entry): void {
  const { documentId, locale } = refOf(type, entry);
  events.push(changeEvent({ event, uid: type.uid, documentId, locale, id: Number(entry['id']) }));
}

export const versionShown = ({ type }: Gathered, entry: Entry, status: Status): ShownVersion => {
  const { documentId, locale } = refOf(type, entry);
  return { documentId, locale, status, entry };
};

export const alreadyThere = ({ type, documentId, locale }: DocumentRef) =>
  errors.application(
    'document-exists',
    `A draft entry with documentId "${documentId}"${locale === null ? '' : ` and locale "${locale}"`} already exists for UID "${type.uid}". This combination must be unique.`,
  );

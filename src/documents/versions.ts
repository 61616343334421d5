import { errors } from '../errors.js';
import { collectionName } from '../schema/stored/collections.js';
import type { ContentType, Status } from '../schema/types.js';
import type { Entry } from '../store/entries/changes.js';
import type { EntryFilter } from '../store/entries/entries.js';
import { type ChangeEventName, changeEvent } from '../store/outbox/outbox.js';
import { type BuildContext, type DocumentRef, type Gathered, refOf } from './context.js';

/** The version that a create or update with this `status` returns. */
export const writtenStatus = ({ draftAndPublish }: ContentType, status: unknown): Status =>
  draftAndPublish && status !== 'published' ? 'draft' : 'published';

/** The stored version of a document that an answer shows. */
export interface ReturnedVersion {
  readonly documentId: string;
  readonly locale: string | null;
  readonly status: Status;
  /** The entry as stored after the write. */
  readonly entry: Entry;
}

/**
 * Drafts and the published entries of the same documents, for writes that depend on a draft being
 * unpublished. Publishing changes the draft's revision, so a published entry that is missing after the draft
 * was read stays missing as long as the revision does. One that was missing earlier may have been published
 * between the two reads, so it is read again.
 */
export async function readVersions(
  { type, read }: Pick<BuildContext, 'type' | 'read'>,
  filter: EntryFilter,
): Promise<[drafts: Entry[], published: Entry[]]> {
  const collection = collectionName(type, 'published');
  if (!type.draftAndPublish) return [await read(collection, filter), []];
  const readPublished = () => read(collection, filter);
  const [drafts, published] = await Promise.all([
    read(collectionName(type, 'draft'), filter),
    readPublished(),
  ]);
  const isPublished = (draft: Entry) =>
    published.some(
      ({ documentId, locale }) =>
        documentId === draft['documentId'] && (locale ?? null) === (draft['locale'] ?? null),
    );
  return [drafts, drafts.every(isPublished) ? published : await readPublished()];
}

/** Records an event about `entry`, to be sent with the write. */
export function recordEvent({ events, type }: Gathered, event: ChangeEventName, entry: Entry): void {
  const { documentId, locale } = refOf(type, entry);
  events.push(changeEvent({ event, uid: type.uid, documentId, locale, id: Number(entry['id']) }));
}

export const returnedVersion = ({ type }: Gathered, entry: Entry, status: Status): ReturnedVersion => {
  const { documentId, locale } = refOf(type, entry);
  return { documentId, locale, status, entry };
};

export const documentExists = ({ type, documentId, locale }: DocumentRef) =>
  errors.application(
    'document-exists',
    `A draft entry with documentId "${documentId}"${locale === null ? '' : ` and locale "${locale}"`} already exists for UID "${type.uid}". This combination must be unique.`,
  );

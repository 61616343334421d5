/** The events of webhooks: those of Strapi, from the changes of content. */
import type { ContentType, Status } from '../schema/types.js';
import { FILE_UID } from '../schema/uids.js';
import type { Change } from '../store/outbox/read-changes.js';

/** Those that an endpoint gets unless it names others. */
export const STRAPI_EVENTS = [
  'entry.create',
  'entry.update',
  'entry.delete',
  'entry.publish',
  'entry.unpublish',
  'media.create',
  'media.update',
  'media.delete',
] as const;

/** All that an endpoint may name. */
export const WEBHOOK_EVENTS: readonly string[] = [...STRAPI_EVENTS, 'entry.draft-discard', 'entries.replace'];

/** The name of a change as a webhook sends it: changes of files have names of their own. */
export const webhookEvent = ({ event, uid }: Pick<Change, 'event' | 'uid'>): string =>
  uid === FILE_UID && event !== 'entries.replace' ? event.replace('entry.', 'media.') : event;

/** The version that an event is about. A deletion is about the published entry, if there was one. */
export function statusOf(type: ContentType, { event, versions }: Pick<Change, 'event' | 'versions'>): Status {
  if (!type.draftAndPublish || event === 'entry.publish' || event === 'entry.unpublish') return 'published';
  return event === 'entry.delete' && versions.some(({ status }) => status === 'published')
    ? 'published'
    : 'draft';
}

import type { ContentType } from '../../schema/types.js';
import { type Entry, revisionOf, type WriteStep } from '../../store/entries/changes.js';
import { type ChangedVersion, type ChangeEvent, changeEvent } from '../../store/outbox/outbox.js';
import { memberOf } from '../../values/once-per.js';
import { type CommitContext, refOf } from '../context.js';
import { isTouch, versionsOf } from '../stored-versions.js';

/** One entry of a write, in the versions that the write changes. */
interface ChangedEntry {
  readonly type: ContentType;
  readonly entry: Entry;
  readonly versions: ChangedVersion[];
  /** Whether more than a revision has changed. */
  isNew: boolean;
}

const keyOf = (uid: string, documentId: unknown, locale: unknown): string =>
  JSON.stringify([uid, documentId, locale]);

/**
 * The events of a write, with the versions that it changed and where it comes from, and one for each entry that
 * it changed besides those that it was about.
 */
export function reportedEvents(
  { schema, events, origin }: Pick<CommitContext, 'schema' | 'events' | 'origin'>,
  steps: readonly WriteStep[],
): ChangeEvent[] {
  const changed = new Map<string, ChangedEntry>();
  for (const step of steps) {
    const version = versionsOf(schema).get(step.collection);
    const entry = step.after ?? step.before;
    if (!version || !entry) continue;
    const { type, status } = version;
    const { documentId, locale } = refOf(type, entry);
    const of = memberOf(
      changed,
      keyOf(type.uid, documentId, locale),
      (): ChangedEntry => ({ type, entry, versions: [], isNew: false }),
    );
    of.versions.push({
      status,
      before: step.before && revisionOf(step.before),
      after: step.after && revisionOf(step.after),
    });
    of.isNew ||= !isTouch(step);
  }
  const reported = events.map((event): ChangeEvent => {
    const versions = changed.get(keyOf(event.uid, event.documentId, event.locale))?.versions;
    return { ...event, ...origin, ...(versions && { versions }) };
  });
  for (const { uid, documentId, locale } of events) changed.delete(keyOf(uid, documentId, locale));
  for (const { type, entry, versions, isNew } of changed.values())
    if (isNew) {
      const id = Number(entry['id']);
      const about = { event: 'entry.update', uid: type.uid, ...ofEntry(type, entry), id } as const;
      reported.push(changeEvent({ ...about, ...origin, versions, indirect: true }));
    }
  return reported;
}

const ofEntry = (type: ContentType, entry: Entry) => {
  const { documentId, locale } = refOf(type, entry);
  return { documentId, locale };
};

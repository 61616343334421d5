import type { ContentType, Schema } from '../../schema/types.js';
import { collectionName, statusesOf } from '../../store/connection/collections.js';
import { type Entry, revisionOf, type WriteStep } from '../../store/entries/changes.js';
import { type ChangedVersion, type ChangeEvent, changeEvent } from '../../store/outbox/outbox.js';
import { memberOf, oncePer } from '../../values/once-per.js';
import { type CommitContext, refOf } from '../context.js';

type StoredVersion = Pick<ChangedVersion, 'status'> & { readonly type: ContentType };

/** The type and version that each collection holds. */
const versionsIn = oncePer(
  ({ contentTypes }: Schema): ReadonlyMap<string, StoredVersion> =>
    new Map(
      [...contentTypes.values()].flatMap((type) =>
        statusesOf(type).map((status) => [collectionName(type, status), { type, status }] as const),
      ),
    ),
);

/** One entry of a write, in the versions that the write changes. */
interface ChangedEntry {
  readonly type: ContentType;
  readonly entry: Entry;
  readonly versions: ChangedVersion[];
  /** Whether more than a revision has changed. */
  isNew: boolean;
}

/** Whether the step only gives the entry a new revision. */
const isTouch = ({ before, after }: WriteStep): boolean =>
  before !== null &&
  after !== null &&
  Object.keys(before).length === Object.keys(after).length &&
  Object.keys(after).every((field) => field === '_rev' || after[field] === before[field]);

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
    const version = versionsIn(schema).get(step.collection);
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

/**
 * The versions of entries that a type with `options.history` keeps. Its collection holds whole entries: the last version
 * of each under the entry's own `_id`, which every write changes with the entry, and the replaced ones under `_id`s of
 * their own. So a read of any moment is the same aggregation as a read of now (docs/in-time.md). The last version of an
 * entry that was removed keeps its place, so that of two that keep what was missed, one is refused.
 */
import { type Document, ObjectId } from 'bson';
import type { Status } from '../../schema/types.js';
import { isBson } from '../../values/bson.js';
import type { Entry, WriteStep } from '../entries/changes.js';
import type { Author, ChangeEventName } from '../outbox/outbox.js';

/** What a version says about itself. */
export interface VersionMark {
  /** Names the version, whether it is still the current one or not. */
  readonly id: ObjectId;
  /** `_id` of the entry. */
  readonly entry: unknown;
  readonly status: Status;
  /** When the entry became like this. */
  readonly from: Date;
  /** When it ceased to be; `FOREVER` if it has not. */
  readonly until: Date;
  /** The write that made it so; null if that was not seen: by another program, or before versions were kept. */
  readonly made: VersionCause | null;
  /** The write that removed the entry, of its last version. */
  readonly removed?: VersionCause;
}

/** Why a version began or ended. */
export interface VersionCause {
  readonly event: ChangeEventName;
  readonly by: Author;
}

/** An entry as it was or is. */
export interface StoredVersion extends Entry {
  /** Which write inserted it: its revision is that of its entry, so two that keep a missed version insert the same. */
  readonly _write?: ObjectId;
  readonly _version: VersionMark;
}

/** The end of current versions: a date, so that one range finds what was there at any moment. */
export const FOREVER = new Date('9999-12-31T23:59:59.999Z');

export const isCurrent = ({ until }: VersionMark): boolean => until.getTime() === FOREVER.getTime();

/** Marks an entry as a version. The fields of `mark` that are absent are those of a new current version. */
export const versionOf = (
  entry: Entry,
  mark: Pick<VersionMark, 'status' | 'from' | 'made'> & Partial<VersionMark>,
): StoredVersion => ({
  ...entry,
  _write: new ObjectId(),
  _version: { id: new ObjectId(), entry: entry['_id'], until: FOREVER, ...mark },
});

/**
 * The version of an entry that was stored without being kept: by another program, an import or a migration, or before
 * versions were kept. It began when the entry says that it was changed, if that can be: not before the entry was stored
 * here in the place of another one of its document, nor in the future. If not even the version before it allows that, as
 * after an import of older content, nothing tells when it began: until now, the past stays as it was.
 * @param current the version that was kept last; null if there is none
 * @param others versions of other entries, as `sameDocuments` finds them
 */
export function missedVersion(
  entry: Entry,
  status: Status,
  current: StoredVersion | null,
  others: readonly StoredVersion[],
): StoredVersion {
  const { _id, updatedAt } = entry;
  const [now, earliest] = [Date.now(), earliestAfter(current)];
  const stored = isBson(_id, 'ObjectId') ? (_id as ObjectId).getTimestamp().getTime() : 0;
  const changed = Math.max(
    stored,
    updatedAt instanceof Date ? updatedAt.getTime() : 0,
    ...inPlaceOf(entry, status, others).map(earliestAfter),
  );
  const from = changed < earliest ? Math.max(now, earliest) : Math.min(changed, Math.max(now, earliest));
  return versionOf(entry, { status, from: new Date(from), made: null });
}

/** Document and locale, as a text. */
export const placeOf = ({ documentId, locale }: Entry): string =>
  JSON.stringify([documentId, locale ?? null]);

/**
 * A filter of the versions of the documents of some entries, for `missedVersion`: an import deletes entries and stores
 * them again as others.
 */
export const sameDocuments = (entries: readonly Entry[]): Document => ({
  documentId: { $in: entries.map(({ documentId }) => documentId) },
});

/** What is read of them. */
export const OF_OTHERS = ['documentId', 'locale', '_rev', '_version'] as const;

const inPlaceOf = (entry: Entry, status: Status, others: readonly StoredVersion[]): StoredVersion[] =>
  others.filter((one) => placeOf(one) === placeOf(entry) && one._version.status === status);

/**
 * The steps that end what a missed version has replaced, if nothing has: whoever finds its entry gone ends it as well, and
 * of the two one is refused.
 * @param others as for `missedVersion`
 */
export const replacementSteps = (
  collection: string,
  missed: StoredVersion,
  others: readonly StoredVersion[],
): readonly WriteStep[] =>
  inPlaceOf(missed, missed._version.status, others)
    .filter(({ _version }) => isCurrent(_version))
    .map((former) => ({
      collection,
      id: former['_id'],
      before: former,
      after: ended(former, { until: missed._version.from }),
    }));

/** The first millisecond in which another version can follow. */
export function earliestAfter(version: StoredVersion | null): number {
  if (!version) return 0;
  const { from, until } = version._version;
  return isCurrent(version._version) ? from.getTime() + 1 : until.getTime();
}

/** The versions of an entry that follow the one that was kept last. */
interface Succession {
  /** That of the versions. */
  readonly collection: string;
  /** `_id` of the entry. */
  readonly id: unknown;
  readonly current: StoredVersion | null;
  /** In order; the last one is the current one from now on. */
  readonly later: readonly StoredVersion[];
  /** The entry was removed. */
  readonly end: Pick<VersionMark, 'until' | 'removed'> | null;
}

/** The steps that put the last version in the place of the one before, and keep those that it replaces. */
export function successionSteps({ collection, id, current, later, end }: Succession): readonly WriteStep[] {
  const all = [...(current ? [current] : []), ...later];
  const kept = all.map((version, at) => {
    const next = all[at + 1];
    if (next) return replaced(version, next);
    return end ? ended(version, end) : version;
  });
  const after = kept.pop() ?? null;
  return [
    { collection, id, before: current, after },
    ...kept.map((version) => ({ collection, id: version['_id'], before: null, after: version })),
  ];
}

/** A version as it is kept once there is a next one. */
const replaced = (version: StoredVersion, { _version: { from } }: StoredVersion): StoredVersion => ({
  ...version,
  _id: new ObjectId(),
  _version: isCurrent(version._version) ? { ...version._version, until: from } : version._version,
});

/** The last version of an entry that is removed. Its revision is new, like that of everything that a write changes. */
const ended = (version: StoredVersion, end: Partial<VersionMark>): StoredVersion => ({
  ...version,
  _rev: new ObjectId(),
  _version: { ...version._version, ...end },
});

/**
 * The versions of entries that a type with `options.history` keeps. Its collection holds whole entries: the current
 * version of each under the entry's own `_id`, which every write changes with the entry, and the replaced ones under
 * `_id`s of their own. So a read of any moment is the same aggregation as a read of now (docs/in-time.md).
 */
import { ObjectId } from 'bson';
import type { Status } from '../../schema/types.js';
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
  _version: { id: new ObjectId(), entry: entry['_id'], until: FOREVER, ...mark },
});

/**
 * The version of an entry that was stored without being kept: by another program, an import or a migration, or before
 * versions were kept. It began when the entry says that it was changed.
 * @param current the version that was kept last; null if there is none
 */
export function missedVersion(entry: Entry, status: Status, current: StoredVersion | null): StoredVersion {
  const { updatedAt } = entry;
  const since = updatedAt instanceof Date ? updatedAt.getTime() : 0;
  const from = new Date(current ? Math.max(since, current._version.from.getTime() + 1) : since);
  return versionOf(entry, { status, from, made: null });
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

/** The steps that make the last version the current one, and keep those before it. */
export function successionSteps({ collection, id, current, later, end }: Succession): readonly WriteStep[] {
  const all = [...(current ? [current] : []), ...later];
  const after = end ? null : (later.at(-1) ?? current);
  const replaced = all
    .filter((version) => version !== after)
    .map((version, at) => {
      const next = all[at + 1];
      return closed(version, next ? { until: next._version.from } : (end ?? {}));
    });
  return [
    ...(current || after ? [{ collection, id, before: current, after }] : []),
    ...replaced.map((version) => ({ collection, id: version['_id'], before: null, after: version })),
  ];
}

/** The replaced form of a current version. */
const closed = (
  { _version, ...entry }: StoredVersion,
  end: Partial<Pick<VersionMark, 'until' | 'removed'>>,
): StoredVersion => ({ ...entry, _id: new ObjectId(), _version: { ..._version, ...end } });

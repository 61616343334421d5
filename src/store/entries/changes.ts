import { ObjectId } from 'bson';
import { idText } from '../../values/id-text.js';
import { memberOf } from '../../values/once-per.js';
import type { ChangeEvent } from '../outbox/outbox.js';

/** A stored document, as writes handle it. */
export type Entry = Record<string, unknown>;

/**
 * One step of a write: the document `id` of `collection` changes from `before` to `after`. An insert has
 * `before` null, a deletion `after` null. A step applies only if the stored document still has the revision
 * of `before`, so nothing is overwritten unseen.
 */
export interface WriteStep {
  readonly collection: string;
  readonly id: unknown;
  readonly before: Entry | null;
  readonly after: Entry | null;
  /**
   * In a transaction, the document is deleted and inserted again instead of replaced (see
   * documents/commit/send-options.ts).
   */
  readonly reinsert?: true;
  /** The shard key of `before`, if the collection is sharded. */
  readonly route?: Entry;
}

/** A write: its steps and the events that report them. */
export interface Write {
  readonly steps: readonly WriteStep[];
  readonly events: readonly ChangeEvent[];
}

/**
 * The revision of an entry, which is new with each write, so that no two writes produce the same. Both versions
 * of a document get the same from a write that changes both: a draft that has the revision of its published entry
 * has not changed since. Empty if another program created the entry.
 */
export const revisionOf = (entry: Entry): string => String(entry['_rev'] ?? '');

interface Tracked extends Pick<WriteStep, 'collection' | 'id' | 'before'> {
  after: Entry | null;
}

/**
 * Collects the changes of one write in memory before anything is sent. A second change to a document builds
 * on the first.
 */
export class Changes {
  readonly #tracked = new Map<string, Tracked>();
  /** By document and locale. */
  readonly #revisions = new Map<string, ObjectId>();

  /** The state of the entry `stored` after the changes so far. */
  current(collection: string, stored: Entry): Entry | null {
    const known = this.#tracked.get(keyOf(collection, stored['_id']));
    return known ? known.after : stored;
  }

  insert(collection: string, entry: Entry): void {
    this.#tracked.set(keyOf(collection, entry['_id']), {
      collection,
      id: entry['_id'],
      before: null,
      after: { ...entry, _rev: this.#revision(entry) },
    });
  }

  /** Replaces the current state of `stored` with `after`. */
  replace(collection: string, stored: Entry, after: Entry): void {
    const key = keyOf(collection, stored['_id']);
    const known = this.#tracked.get(key);
    const next = { ...after, _id: stored['_id'], _rev: this.#revision(stored) };
    if (known) known.after = next;
    else this.#tracked.set(key, { collection, id: stored['_id'], before: stored, after: next });
  }

  /**
   * Gives an entry that was read a new revision, unless it already has one, so that a concurrent write that
   * read the same revision conflicts.
   */
  touch(collection: string, stored: Entry): void {
    if (!this.#tracked.has(keyOf(collection, stored['_id']))) this.replace(collection, stored, stored);
  }

  remove(collection: string, stored: Entry): void {
    this.#tracked.set(keyOf(collection, stored['_id']), {
      collection,
      id: stored['_id'],
      before: stored,
      after: null,
    });
  }

  #revision({ documentId, locale }: Entry): ObjectId {
    return memberOf(this.#revisions, `${String(documentId)}/${String(locale ?? null)}`, () => new ObjectId());
  }

  /** The steps, in the order in which the documents were first changed. */
  steps(): WriteStep[] {
    return [...this.#tracked.values()];
  }
}

const keyOf = (collection: string, id: unknown): string => `${collection}\u0000${idText(id)}`;

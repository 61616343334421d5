import { ObjectId } from 'bson';
import type { ChangeEvent } from '../outbox/outbox.js';

/** One stored document as the writers see it. */
export type Entry = Record<string, unknown>;

/**
 * One step of a write: the document `id` of `collection` goes from `before` to `after`. `before` null is an insert, `after` null a
 * removal. A step applies only where the stored document still has the revision of `before`, so nothing is overwritten unseen.
 */
export interface WriteStep {
  readonly collection: string;
  readonly id: unknown;
  readonly before: Entry | null;
  readonly after: Entry | null;
  /** In a transaction the document is removed and stored again, not replaced (see documents/commit/sent-as.ts). */
  readonly reinsert?: true;
  /** The shard key of `before`, where the collection is sharded. */
  readonly route?: Entry;
}

/** What one write sends: its steps and the events that tell of them. */
export interface Write {
  readonly steps: readonly WriteStep[];
  readonly events: readonly ChangeEvent[];
}

/** Revision of an entry: new with each write, so that no two writes ever leave the same; empty where another program made it. */
export const revisionOf = (entry: Entry): string => String(entry['_rev'] ?? '');

interface Tracked extends Pick<WriteStep, 'collection' | 'id' | 'before'> {
  after: Entry | null;
}

/**
 * The changes of one write, gathered in memory before anything is sent: a second change of the same document builds on the first.
 */
export class Changes {
  readonly #tracked = new Map<string, Tracked>();

  /** What `stored` looks like after the changes so far. */
  current(collection: string, stored: Entry): Entry | null {
    const known = this.#tracked.get(keyOf(collection, stored['_id']));
    return known ? known.after : stored;
  }

  insert(collection: string, entry: Entry): void {
    this.#tracked.set(keyOf(collection, entry['_id']), {
      collection,
      id: entry['_id'],
      before: null,
      after: { ...entry, _rev: new ObjectId() },
    });
  }

  /** Replaces what `stored` is by now with `after`. */
  replace(collection: string, stored: Entry, after: Entry): void {
    const key = keyOf(collection, stored['_id']);
    const known = this.#tracked.get(key);
    const next = { ...after, _id: stored['_id'], _rev: known?.after?.['_rev'] ?? new ObjectId() };
    if (known) known.after = next;
    else this.#tracked.set(key, { collection, id: stored['_id'], before: stored, after: next });
  }

  /** Gives a document that was read a new revision, where it has none by now: whoever else changes it from the same has a conflict. */
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

  /** The steps in the order of the first mention of each document. */
  steps(): WriteStep[] {
    return [...this.#tracked.values()];
  }
}

const keyOf = (collection: string, id: unknown): string => `${collection}\u0000${String(id)}`;

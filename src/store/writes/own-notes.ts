import { ObjectId } from 'bson';
import type { Db, Document } from 'mongodb';
import { changeOwn, keepAlive, type Life } from '../leases/lease.js';
import { hasImagesApart, type JournalHead, journalOf } from './journal-head.js';

/** The notes of the writes that one process owns. */
export interface OwnNotes {
  /** Their `owner`. */
  readonly token: string;
  /** Updates a note; false if another process has taken over. */
  change(head: JournalHead, update: Document): Promise<boolean>;
  /** The heartbeat of a note. */
  showLife(head: JournalHead): Life;
  /**
   * Deletes notes that this process still owns, and their images after them, so that a head never lacks images.
   * Returns the number of notes.
   */
  forget(...heads: readonly JournalHead[]): Promise<number>;
}

/** @param lease milliseconds without a heartbeat after which others consider this process dead */
export function newOwnNotes(db: Db, lease: number): OwnNotes {
  const token = new ObjectId().toHexString();
  const notes = journalOf(db);
  const owned = ({ _id }: JournalHead) => ({ _id, owner: token });

  return {
    token,
    change: (head, update) => changeOwn(notes, owned(head), update),
    showLife: (head) => keepAlive(notes, owned(head), { every: lease / 3 }),
    async forget(...heads) {
      const { deletedCount } = await notes.deleteMany({
        _id: { $in: heads.map(({ _id }) => _id) },
        owner: token,
      });
      const large = heads.filter(hasImagesApart).map(({ _id }) => _id);
      if (large.length > 0) await notes.deleteMany({ write: { $in: large } });
      return deletedCount;
    },
  };
}

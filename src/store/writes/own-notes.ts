import { ObjectId } from 'bson';
import type { Db, DeleteResult, Document } from 'mongodb';
import { changeOwn, keepAlive, type Life } from '../runs/lease.js';
import { type Head, imagesApart, journalOf } from './journal-head.js';

/** The notes of the writes that one process owns. */
export interface OwnNotes {
  /** Their `owner`. */
  readonly token: string;
  /** Updates a note; false if another process has taken over. */
  change(head: Head, update: Document): Promise<boolean>;
  /** The heartbeat of a note. */
  showLife(head: Head): Life;
  /** Deletes a note with one command; false if another process has taken over. */
  drop(head: Head): Promise<boolean>;
  /** Deletes notes and their images, while this process owns them. */
  forget(...heads: readonly Head[]): Promise<DeleteResult>;
}

/** @param lease milliseconds without a heartbeat after which others consider this process dead */
export function newOwnNotes(db: Db, lease: number): OwnNotes {
  const token = new ObjectId().toHexString();
  const notes = journalOf(db);
  const owned = ({ _id }: Head) => ({ _id, owner: token });

  const forget = (...heads: readonly Head[]): Promise<DeleteResult> => {
    const ours = { _id: { $in: heads.map(({ _id }) => _id) }, owner: token };
    const write = { $in: heads.filter((head) => imagesApart(head) > 0).map(({ _id }) => _id) };
    return notes.deleteMany(write.$in.length > 0 ? { $or: [ours, { write }] } : ours);
  };

  return {
    token,
    change: (head, update) => changeOwn(notes, owned(head), update),
    showLife: (head) => keepAlive(notes, owned(head), { every: lease / 3 }),
    async drop(head) {
      const { deletedCount } = await forget(head);
      return deletedCount === 1 + imagesApart(head);
    },
    forget,
  };
}

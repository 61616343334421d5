import { ObjectId } from 'bson';
import { type Db, type Document, MongoBulkWriteError } from 'mongodb';
import { isOn } from '../../limits/mechanisms.js';
import { batchPerTick } from '../connection/batch-per-tick.js';
import { isDuplicateKey } from '../connection/duplicate.js';
import { changeOwn, keepAlive, type Life } from '../leases/lease.js';
import { hasImagesApart, type JournalHead, journalOf, type Note } from './journal-head.js';

/** The notes of the writes that one process owns. */
export interface OwnNotes {
  /** Their `owner`. */
  readonly token: string;
  /** Stores a note; false if another one locks one of its documents. */
  add(note: Note): Promise<boolean>;
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

  const addTogether = batchPerTick(async (heads: readonly JournalHead[]): Promise<(true | null)[]> => {
    const refused = await notes
      .insertMany(
        heads.map((head) => ({ ...head })),
        { ordered: false },
      )
      .then(() => null, refusedOf);
    return heads.map((_, at) => (refused?.has(at) ? null : true));
  });

  const forget = async (...heads: readonly JournalHead[]): Promise<number> => {
    const { deletedCount } = await notes.deleteMany({
      _id: { $in: heads.map(({ _id }) => _id) },
      owner: token,
    });
    const large = heads.filter(hasImagesApart).map(({ _id }) => _id);
    if (large.length > 0) await notes.deleteMany({ write: { $in: large } });
    return deletedCount;
  };

  return {
    token,
    async add({ head, images }) {
      if (images.length === 0 && isOn('writes together') && (await addTogether(head))) return true;
      try {
        await notes.insertMany([...images, head].map((noted) => ({ ...noted })));
        return true;
      } catch (error) {
        await forget(head);
        if (!isDuplicateKey(error)) throw error;
        return false;
      }
    },
    change: (head, update) => changeOwn(notes, owned(head), update),
    showLife: (head) => keepAlive(notes, owned(head), { every: lease / 3 }),
    forget,
  };
}

/** The positions of the refused documents of a bulk write; throws if they are unknown. */
function refusedOf(error: unknown): ReadonlySet<number> {
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError()) throw error;
  const refused = new Set([error.writeErrors].flat().map(({ index }) => index));
  if (refused.size === 0) throw error;
  return refused;
}

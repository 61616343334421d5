import { ObjectId } from 'bson';
import type { Db } from 'mongodb';
import { applyAlone, inverse, WriteConflict } from './apply-step.js';
import type { Entry, Step } from './changes.js';
import { CLAIMS } from './claims.js';
import { isDuplicateKey } from './duplicate.js';
import { addEvents, type ChangeEvent } from './outbox.js';
import type { Write } from './transaction.js';

/** A write under way on a server without transactions. Its `locks` name every document it touches; a unique index keeps two apart. */
interface Head {
  _id: string;
  locks: string[];
  at: Date;
  steps: { collection: string; id: unknown; before: boolean; after: boolean }[];
  events: ChangeEvent[];
}

/** A document before or after a step, apart from the head so that neither meets the 16 MB limit. Its only lock is itself. */
interface Image {
  _id: string;
  locks: string[];
  write: string;
  entry: Entry;
}

export const JOURNAL = 'mangrove.journal';
/** A writer that has held its locks for this many milliseconds is taken for dead. */
const LEASE = 3000;
/** Images without a head for this many seconds belong to nobody. */
const ORPHANED = 60;

const journalOf = (db: Db) => db.collection<Head | Image>(JOURNAL);

export async function indexJournal(db: Db): Promise<void> {
  await journalOf(db).createIndex({ locks: 1 }, { name: 'locks', unique: true });
}

/**
 * One write as an ordered sequence that a crash cannot leave half done: what it will do is noted first, then done, then the note is
 * dropped. Published entries go first, so a unique attribute that is taken stops the write before anything else has changed.
 */
export async function writeWithJournal(db: Db, write: Write): Promise<void> {
  const head = await note(db, write);
  try {
    await applyAll(db, ordered(write.steps));
  } catch (error) {
    if (error instanceof WriteConflict || isDuplicateKey(error)) await drop(db, head);
    throw error;
  }
  await addEvents(db, write.events, null);
  await drop(db, head);
}

/** Whether a write that has been noted and has not ended names this document. */
export async function isLocked(db: Db, collection: string, id: unknown): Promise<boolean> {
  return (await journalOf(db).countDocuments({ locks: lockOf({ collection, id }) }, { limit: 1 })) > 0;
}

const lockOf = ({ collection, id }: Pick<Step, 'collection' | 'id'>): string => `${collection}/${String(id)}`;

/** Finishes what a crash left: writes that were noted, and images whose note was never made. */
export async function recoverAll(db: Db): Promise<void> {
  await recoverJournal(db);
  const heads = await journalOf(db).distinct('_id', { steps: { $exists: true } });
  const old = ObjectId.createFromTime(Date.now() / 1000 - ORPHANED).toHexString();
  await journalOf(db).deleteMany({ write: { $lt: old, $nin: heads } });
}

/** Completes or undoes the writes that a process left behind. Waits for those of which the writer may still be alive. */
async function recoverJournal(db: Db, filter: { locks?: { $in: string[] } } = {}): Promise<void> {
  const heads = await journalOf(db)
    .find({ ...filter, steps: { $exists: true } })
    .toArray();
  for (const head of heads) {
    if (!('steps' in head)) continue;
    const left = head.at.getTime() + LEASE - Date.now();
    if (left > 0 && filter.locks) continue;
    if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
    await recover(db, head);
  }
}

async function recover(db: Db, head: Head): Promise<void> {
  const images = await journalOf(db).find({ write: head._id }, { promoteLongs: false }).toArray();
  const byId = new Map(images.map((image) => [image._id, 'entry' in image ? image.entry : null]));
  const steps = head.steps.map(
    (step, at): Step => ({
      collection: step.collection,
      id: step.id,
      before: byId.get(imageId(head._id, at, 'before')) ?? null,
      after: byId.get(imageId(head._id, at, 'after')) ?? null,
    }),
  );
  // Images go only after every step is done, so a missing one means that the writer was already tidying up.
  const complete = steps.every((step, at) => {
    const had = head.steps[at];
    return (step.before !== null) === had?.before && (step.after !== null) === had?.after;
  });
  if (complete) {
    const undone = await applyAll(db, steps).then(
      () => false,
      (error: unknown) => {
        if (error instanceof WriteConflict || isDuplicateKey(error)) return true;
        throw error;
      },
    );
    if (!undone) await addEvents(db, head.events, null);
  }
  await drop(db, head);
}

/** Applies the steps in turn; where one cannot, takes back those before it and throws. */
async function applyAll(db: Db, steps: readonly Step[]): Promise<void> {
  const done: Step[] = [];
  for (const step of steps) {
    try {
      await applyAlone(db, step);
    } catch (error) {
      if (error instanceof WriteConflict || isDuplicateKey(error))
        for (const applied of done.reverse()) await applyAlone(db, inverse(applied)).catch(leave);
      throw error;
    }
    done.push(step);
  }
}

/** Another program changed it meanwhile: its change stands. */
function leave(error: unknown): void {
  if (!(error instanceof WriteConflict)) throw error;
}

async function note(db: Db, write: Write): Promise<Head> {
  const _id = new ObjectId().toHexString();
  const steps = ordered(write.steps);
  const images = steps.flatMap((step, at) =>
    (['before', 'after'] as const).flatMap((side): Image[] => {
      const entry = step[side];
      const id = imageId(_id, at, side);
      return entry === null ? [] : [{ _id: id, locks: [id], write: _id, entry }];
    }),
  );
  const head: Head = {
    _id,
    locks: steps.map(lockOf).sort(),
    at: new Date(),
    steps: steps.map(({ collection, id, before, after }) => ({
      collection,
      id,
      before: before !== null,
      after: after !== null,
    })),
    events: [...write.events],
  };
  try {
    // The head comes last: where it is there, so are its images.
    await journalOf(db).insertMany([...images, head]);
  } catch (error) {
    await drop(db, head);
    if (!isDuplicateKey(error)) throw error;
    await recoverJournal(db, { locks: { $in: head.locks } });
    throw new WriteConflict(JOURNAL);
  }
  return head;
}

/** In one command: a note of which a part is gone counts as done. */
async function drop(db: Db, { _id, steps }: Head): Promise<void> {
  const images = steps.flatMap((_, at) => [imageId(_id, at, 'before'), imageId(_id, at, 'after')]);
  await journalOf(db).deleteMany({ _id: { $in: [_id, ...images] } });
}

const imageId = (write: string, at: number, side: 'before' | 'after'): string => `${write}/${at}/${side}`;

/** What may be refused comes first: claims that are taken, then published entries. Claims are released when all is done. */
const ordered = (steps: readonly Step[]): Step[] => [...steps].sort((a, b) => rankOf(a) - rankOf(b));

function rankOf({ collection, after }: Step): number {
  if (collection === CLAIMS) return after ? 0 : 3;
  return collection.endsWith('.drafts') ? 2 : 1;
}

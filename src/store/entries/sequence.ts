import type { Collection, Db } from 'mongodb';
import { unlessDuplicate } from '../connection/duplicate.js';
import type { Store } from '../connection/store.js';
import { untilAvailable } from '../connection/until-available.js';

interface Counter {
  _id: string;
  /** The last number allocated. */
  last: number;
}

export const countersOf = (db: Db): Collection<Counter> => db.collection<Counter>('mangrove.sequences');

/**
 * Allocates numbers that are never allocated twice: the ids of entries (one sequence per content type) and of
 * component items.
 */
export interface Sequences {
  /** The next `count` numbers of the sequence `name`, ascending; consecutive unless a block ran out. */
  take(name: string, count: number): Promise<number[]>;
}

interface Block {
  next: number;
  end: number;
}

/**
 * Sequences in `mangrove.sequences`, allocated in blocks so that most writes need no round trip for their
 * ids. The rest of a block is lost when the process ends, never reused. `highest` returns where a sequence
 * without a counter starts: the greatest id already stored (by an adopted or imported collection).
 */
export function createSequences(
  { db, writeLimits }: Pick<Store, 'db' | 'writeLimits'>,
  highest: (name: string) => Promise<number>,
  blockSize: (name: string) => number,
): Sequences {
  const counters = countersOf(db);
  const blocks = new Map<string, Block>();
  const queues = new Map<string, Promise<unknown>>();

  const takeNow = async (name: string, count: number): Promise<number[]> => {
    const taken: number[] = [];
    for (;;) {
      const block = blocks.get(name);
      while (block && block.next <= block.end && taken.length < count) taken.push(block.next++);
      if (taken.length === count) return taken;
      const size = Math.max(blockSize(name), count - taken.length);
      // Numbers that are allocated twice because a response was lost are only skipped.
      const end = await untilAvailable(writeLimits, () => advance(counters, name, size, highest));
      blocks.set(name, { next: end - size + 1, end });
    }
  };

  return {
    take(name, count) {
      if (count === 0) return Promise.resolve([]);
      const taken = (queues.get(name) ?? Promise.resolve()).then(() => takeNow(name, count));
      queues.set(
        name,
        taken.catch(() => undefined),
      );
      return taken;
    },
  };
}

/** The numbers that would come next, without allocating them: for a write that is only explained. */
export function peekSequences(db: Db, highest: (name: string) => Promise<number>): Sequences {
  const last = new Map<string, number>();
  return {
    async take(name, count) {
      const known = last.get(name) ?? (await countersOf(db).findOne({ _id: name }))?.last;
      const start = known ?? (await highest(name));
      last.set(name, start + count);
      return Array.from({ length: count }, (_, at) => start + at + 1);
    },
  };
}

/** Advances the counter by `size` and returns its new value; creates the counter if there is none. */
async function advance(
  counters: Collection<Counter>,
  name: string,
  size: number,
  highest: (name: string) => Promise<number>,
): Promise<number> {
  const step = () =>
    counters.findOneAndUpdate({ _id: name }, { $inc: { last: size } }, { returnDocument: 'after' });
  const moved = await step();
  if (moved) return moved.last;
  // Not an upsert: concurrent first upserts fail on some servers (docs/engines.md), and the initial value
  // must be read first.
  const start = await highest(name);
  await counters
    .updateOne({ _id: name }, { $setOnInsert: { last: start } }, { upsert: true })
    .catch(unlessDuplicate);
  const first = await step();
  if (!first) throw new TypeError(`sequence ${name} vanished`);
  return first.last;
}

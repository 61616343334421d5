/**
 * Documents that one process owns while it is alive: `owner` names the process, which increments `beat`
 * regularly. If the beat does not change for the length of a lease, another process takes the document over.
 * Each process measures time with its own clock, so clocks may differ.
 */
import type { Collection, Document } from 'mongodb';

export interface Leased {
  readonly _id: string;
  /** Null if nobody owns it. */
  readonly owner: string | null;
  readonly beat: number;
}

export type LeasedCollection = Collection<Document & { _id: string }>;
type Held = Pick<Leased, '_id' | 'owner'>;

/** Updates a document if `owner` still owns it; false if not. */
export const changeOwn = async (
  documents: LeasedCollection,
  { _id, owner }: Held,
  update: Document,
): Promise<boolean> => (await documents.updateOne({ _id, owner }, update)).matchedCount === 1;

/** A heartbeat that runs until it is stopped. */
export interface Life {
  /** True once another process has taken over: nothing more may be written. */
  readonly lost: boolean;
  stop(): void;
}

interface Beating {
  /** Milliseconds. */
  readonly every: number;
  readonly onLost?: () => void;
}

/** A heartbeat that fails is ignored; one that finds another owner ends the ownership. */
export function keepAlive(documents: LeasedCollection, held: Held, { every, onLost }: Beating): Life {
  const life = { lost: false, stop: () => clearInterval(timer) };
  const beat = (): Promise<void> =>
    changeOwn(documents, held, { $inc: { beat: 1 } }).then(
      (ours) => {
        if (ours || life.lost) return;
        life.lost = true;
        onLost?.();
      },
      () => undefined,
    );
  const timer = setInterval(() => void beat(), every).unref();
  return life;
}

interface TakeOver {
  readonly by: string;
  /** Further conditions, and further fields to set. */
  readonly where?: Document;
  readonly set?: Document;
}

/**
 * Takes a document over if it has not changed since it was read; of several processes, one gets it and the
 * others get null.
 */
export async function takeOver<T extends Leased>(
  documents: LeasedCollection,
  { _id, owner, beat }: T,
  { by, where, set }: TakeOver,
): Promise<T | null> {
  const taken = await documents.findOneAndUpdate(
    { ...where, _id, owner, beat },
    { $set: { ...set, owner: by }, $inc: { beat: 1 } },
    { returnDocument: 'after', promoteLongs: false },
  );
  return taken as T | null;
}

/** The heartbeats of other processes, and when each was first seen. */
interface Watch {
  /** Whether the beat has not changed for the length of a lease. */
  isOverdue(held: Leased): boolean;
  forget(id: string): void;
  /** Forgets all others. */
  keepOnly(ids: ReadonlySet<string>): void;
}

/** @param lease milliseconds without a heartbeat after which an owner is considered dead */
export function watchBeats(lease: number): Watch {
  const seen = new Map<string, { readonly beat: string; readonly at: number }>();
  return {
    isOverdue: ({ _id, owner, beat }) => {
      const known = seen.get(_id);
      const now = `${owner} ${beat}`;
      if (known?.beat === now) return performance.now() - known.at >= lease;
      seen.set(_id, { beat: now, at: performance.now() });
      return false;
    },
    forget: (id) => void seen.delete(id),
    keepOnly: (ids) => {
      for (const id of seen.keys()) if (!ids.has(id)) seen.delete(id);
    },
  };
}

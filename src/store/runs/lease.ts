/**
 * Documents that one process owns as long as it shows life: `owner` names it, and `beat` grows while it lives. Whoever sees a beat that
 * does not move for a lease takes the document over. Each process goes by its own clock, so clocks may differ.
 */
import type { Collection, Document } from 'mongodb';

export interface Leased {
  readonly _id: string;
  /** Null: nobody has it. */
  readonly owner: string | null;
  readonly beat: number;
}

export type LeasedCollection = Collection<Document & { _id: string }>;
type Held = Pick<Leased, '_id' | 'owner'>;

/** Changes a document while it is its owner's; false once someone else has it. */
export const changeOwn = async (
  documents: LeasedCollection,
  { _id, owner }: Held,
  update: Document,
): Promise<boolean> => (await documents.updateOne({ _id, owner }, update)).matchedCount === 1;

/** A heartbeat that runs until it is stopped. */
export interface Life {
  /** True once someone else has taken over: nothing more may be written. */
  readonly lost: boolean;
  stop(): void;
}

interface Beating {
  /** Milliseconds. */
  readonly every: number;
  readonly onLost?: () => void;
}

/** A beat that does not arrive says nothing; one that finds another owner ends it. */
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
  /** What has to hold besides, and what else is written. */
  readonly where?: Document;
  readonly set?: Document;
}

/** Takes a document over that is still as it was seen; of several who try one gets it, the others null. */
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

/** The beats of others, and when each was first seen. */
interface Watch {
  /** Whether it has not moved for a lease. */
  isOverdue(held: Leased): boolean;
  forget(id: string): void;
  /** Forgets all but these. */
  keepOnly(ids: ReadonlySet<string>): void;
}

/** `lease`: milliseconds without a beat after which an owner is taken for dead. */
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

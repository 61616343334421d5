import { ObjectId } from 'bson';
import type { Collection, Db, Document } from 'mongodb';
import type { Entry, Step } from './changes.js';
import { CLAIMS } from './claims.js';
import type { ChangeEvent } from './outbox.js';
import type { Write } from './transaction.js';

export const JOURNAL = 'mangrove.journal';

/**
 * A write under way on a server without transactions. Its `locks` name every document it touches; a unique index keeps two apart. Only
 * its `owner` goes on with it, who counts `beat` up as long as that takes.
 */
export interface Head {
  readonly _id: string;
  readonly locks: readonly string[];
  readonly owner: string;
  readonly beat: number;
  /** What is done is taken back: nobody goes forward with it any more. */
  readonly undo: boolean;
  readonly steps: readonly NotedStep[];
  readonly events: readonly ChangeEvent[];
  /** Set by whoever took it over, when it has ended: what is left is to tell of it and to drop it. */
  readonly ended?: Ending;
}

interface NotedStep {
  readonly collection: string;
  readonly id: unknown;
  readonly before: boolean;
  readonly after: boolean;
}

/** A document before or after a step, apart from the head so that neither meets the 16 MB limit. Its only lock is itself. */
export interface Image {
  readonly _id: string;
  readonly locks: readonly string[];
  readonly write: string;
  readonly entry: Entry;
}

export interface Ending {
  readonly outcome: 'done' | 'undone';
  /** What a late command of the first owner may have inserted. */
  readonly inserted: readonly { readonly collection: string; readonly id: unknown; readonly _rev: unknown }[];
}

/** How a write ended that someone else took over, for its first owner to find. Its only lock is itself. */
export interface Outcome extends Ending {
  readonly _id: string;
  readonly locks: readonly string[];
}

export const outcomeId = (write: string): string => `${write}/outcome`;

/** Heads, images and outcomes. */
export const journalOf = (db: Db): Collection<Document & { _id: string }> => db.collection(JOURNAL);

export const lockOf = ({ collection, id }: Pick<Step, 'collection' | 'id'>): string =>
  `${collection}/${String(id)}`;

const imageId = (write: string, at: number, side: 'before' | 'after'): string => `${write}/${at}/${side}`;

/** The note of a write: its images first, so that where the head is there, so are they. */
export function noteOf({ steps: given, events }: Write, owner: string): { head: Head; images: Image[] } {
  const _id = new ObjectId().toHexString();
  const steps = inOrder(given);
  const images = steps.flatMap((step, at) =>
    (['before', 'after'] as const).flatMap((side): Image[] => {
      const entry = step[side];
      const id = imageId(_id, at, side);
      return entry === null ? [] : [{ _id: id, locks: [id], write: _id, entry }];
    }),
  );
  const noted = steps.map(({ collection, id, before, after }) => ({
    collection,
    id,
    before: before !== null,
    after: after !== null,
  }));
  const locks = steps.map(lockOf).sort();
  return { head: { _id, locks, owner, beat: 0, undo: false, steps: noted, events }, images };
}

/** The steps of a note; null where images are gone, which happens only when all of it is done. */
export async function stepsOf(db: Db, head: Head): Promise<Step[] | null> {
  const images = (await journalOf(db)
    .find({ write: head._id }, { promoteLongs: false })
    .toArray()) as unknown as Image[];
  const byId = new Map(images.map(({ _id, entry }) => [_id, entry]));
  const steps = head.steps.map(({ collection, id }, at): Step => {
    const image = (side: 'before' | 'after') => byId.get(imageId(head._id, at, side)) ?? null;
    return { collection, id, before: image('before'), after: image('after') };
  });
  const complete = steps.every(({ before, after }, at) => {
    const had = head.steps[at];
    return (before !== null) === had?.before && (after !== null) === had?.after;
  });
  return complete ? steps : null;
}

/** What may be refused comes first: claims that are taken, then published entries. Claims are released when all is done. */
export const inOrder = (steps: readonly Step[]): Step[] => [...steps].sort((a, b) => rankOf(a) - rankOf(b));

function rankOf({ collection, after }: Step): number {
  if (collection === CLAIMS) return after ? 0 : 3;
  return collection.endsWith('.drafts') ? 2 : 1;
}

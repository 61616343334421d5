import { Binary, deserialize, ObjectId, serialize } from 'bson';
import type { Collection, Db, Document } from 'mongodb';
import { groupBy } from '../../values/group.js';
import type { Entry, Write, WriteStep } from '../entries/changes.js';
import { CLAIMS } from '../entries/claims.js';
import { differenceIn } from '../entries/difference.js';
import type { ChangeEvent } from '../outbox/outbox.js';

export const JOURNAL = 'mangrove.journal';

/** Bytes of images that a head holds itself. */
const MAX_INSIDE = 1024 * 1024;

/**
 * A write under way on a server without transactions. Its `locks` name every document it touches; a unique index keeps two apart. Only
 * its `owner` continues it, and counts `beat` up as long as that takes.
 */
export interface Head {
  readonly _id: string;
  readonly locks: readonly string[];
  readonly owner: string;
  readonly beat: number;
  /** What was done is undone: nobody continues it. */
  readonly undo: boolean;
  readonly steps: readonly NotedStep[];
  readonly events: readonly ChangeEvent[];
  /** Set by whoever took it over, when it has ended: it remains to report it and to drop it. */
  readonly ended?: Ending;
}

interface NotedStep {
  readonly collection: string;
  readonly id: unknown;
  readonly before: boolean;
  readonly after: boolean;
  /** BSON of what the document is before and after the step; left out where that is kept apart. */
  readonly images?: Binary;
}

type Sides = Pick<WriteStep, 'before' | 'after'>;

/**
 * A document before or after a step: of one that is changed, the fields that differ. Apart from the head where together they are large,
 * so that neither meets the 16 MB limit. Its only lock is itself.
 */
interface Image {
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

export const lockOf = ({ collection, id }: Pick<WriteStep, 'collection' | 'id'>): string =>
  `${collection}/${String(id)}`;

const imageId = (write: string, at: number, side: 'before' | 'after'): string => `${write}/${at}/${side}`;

/** What both sides of a step have alike is in the stored document, whichever side of the step it is on. */
const sidesOf = (step: WriteStep): Sides => differenceIn(step) ?? { before: step.before, after: step.after };

/** The note of a write: the images that are apart first, so that where the head is there, so are they. */
export function noteOf({ steps: given, events }: Write, owner: string): { head: Head; images: Image[] } {
  const _id = new ObjectId().toHexString();
  const steps = inOrder(given);
  const sides = steps.map(sidesOf);
  const written = sides.map((both) => serialize(both));
  const isSmall = written.reduce((sum, { length }) => sum + length, 0) <= MAX_INSIDE;
  const noted = steps.map(
    ({ collection, id, before, after }, at): NotedStep => ({
      collection,
      id,
      before: before !== null,
      after: after !== null,
      ...(isSmall && { images: new Binary(written[at]) }),
    }),
  );
  const locks = steps.map(lockOf).sort();
  const head = { _id, locks, owner, beat: 0, undo: false, steps: noted, events };
  return { head, images: isSmall ? [] : sides.flatMap((both, at) => imagesOf(_id, at, both)) };
}

const imagesOf = (write: string, at: number, sides: Sides): Image[] =>
  (['before', 'after'] as const).flatMap((side): Image[] => {
    const entry = sides[side];
    const id = imageId(write, at, side);
    return entry === null ? [] : [{ _id: id, locks: [id], write, entry }];
  });

/** How many images of a note are apart from its head. */
export const imagesApart = ({ steps }: Head): number =>
  steps.reduce((sum, { before, after, images }) => sum + (images ? 0 : Number(before) + Number(after)), 0);

/** The steps of a note; null where images are gone, which happens only when all of it is done. */
export async function stepsOf(db: Db, head: Head): Promise<WriteStep[] | null> {
  const images = imagesApart(head) > 0 ? await readImages(db, head) : [];
  const byId = new Map(images.map(({ _id, entry }) => [_id, entry]));
  const steps = head.steps.map(({ collection, id, images: inside }, at): WriteStep => {
    if (inside) return { collection, id, ...readSides(inside) };
    const image = (side: 'before' | 'after') => byId.get(imageId(head._id, at, side)) ?? null;
    return { collection, id, before: image('before'), after: image('after') };
  });
  const complete = steps.every(({ before, after }, at) => {
    const had = head.steps[at];
    return (before !== null) === had?.before && (after !== null) === had?.after;
  });
  return complete ? steps : null;
}

const readImages = (db: Db, head: Head): Promise<Image[]> =>
  journalOf(db).find<Image>({ write: head._id }, { promoteLongs: false }).toArray();

const readSides = ({ buffer, position }: Binary): Sides =>
  deserialize(buffer.subarray(0, position), { promoteLongs: false }) as Sides;

/** What may be refused comes first: claims that are taken, then published entries. Claims are released when all is done. */
export const inOrder = (steps: readonly WriteStep[]): WriteStep[] =>
  [...steps].sort((a, b) => rankOf(a) - rankOf(b));

/**
 * The steps in rounds, one after the other: claims, entries, claims that are released. The collections of a round are written at the same
 * time, since the note stands for all of them; the steps of one collection, which may give a unique value on, in their order.
 */
export function inRounds(steps: readonly WriteStep[]): WriteStep[][][] {
  const rounds = groupBy(inOrder(steps), (step) => Math.ceil(rankOf(step) / 2));
  return [...rounds.values()].map((round) => [...groupBy(round, ({ collection }) => collection).values()]);
}

function rankOf({ collection, after }: WriteStep): number {
  if (collection === CLAIMS) return after ? 0 : 3;
  return collection.endsWith('.drafts') ? 2 : 1;
}

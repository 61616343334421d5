import { Binary, deserialize, ObjectId, serialize } from 'bson';
import type { Collection, Db, Document } from 'mongodb';
import type { Status } from '../../schema/types.js';
import { groupBy } from '../../values/group.js';
import { idText } from '../../values/id-text.js';
import type { Entry, Write, WriteStep } from '../entries/changes.js';
import { CLAIMS } from '../entries/claims.js';
import { differenceIn } from '../entries/difference.js';
import { IDEMPOTENCY_KEYS } from '../entries/idempotency-keys.js';
import { SCHEDULED } from '../entries/schedules.js';
import type { ChangeEvent } from '../outbox/outbox.js';

export const JOURNAL = 'mangrove.journal';

/** Maximum size in bytes of the images in the head itself. */
const MAX_INSIDE = 1024 * 1024;

/**
 * A write in progress on a server without transactions. Its `locks` name every document that it changes; a
 * unique index keeps two writes of the same document apart. Only its `owner` continues it, incrementing
 * `beat` meanwhile.
 */
export interface JournalHead {
  readonly _id: string;
  readonly locks: readonly string[];
  readonly owner: string;
  readonly beat: number;
  /** The write is being undone and must not be continued. */
  readonly undo: boolean;
  /** Which steps its owner is undoing, by position; absent: it may have applied any. */
  readonly applied?: readonly number[];
  readonly steps: readonly NotedStep[];
  readonly events: readonly ChangeEvent[];
  /**
   * Set after another process took the write over and ended it; what remains is to report the outcome and
   * delete the note.
   */
  readonly ended?: Ended;
}

interface NotedStep {
  readonly collection: string;
  readonly id: unknown;
  readonly before: boolean;
  readonly after: boolean;
  /** BSON of the document before and after the step; absent if the images are stored separately. */
  readonly images?: Binary;
}

type Sides = Pick<WriteStep, 'before' | 'after'>;

/**
 * A document before or after a step; for a changed document, only the fields that differ. Stored separately
 * from the head if all images together are large, so that neither exceeds 16 MB. Locks only itself.
 */
interface Image {
  readonly _id: string;
  readonly locks: readonly string[];
  readonly write: string;
  readonly entry: Entry;
}

/** What is stored of a write before it is applied. */
export interface Note {
  readonly head: JournalHead;
  /** Those that are separate from the head. */
  readonly images: readonly Image[];
}

export interface Ended {
  readonly outcome: 'done' | 'undone';
  /**
   * If it is undone, documents that a late command of the first owner may have inserted; if it is done, those that were
   * inserted here, and that the first owner has inserted too late if it has, too.
   */
  readonly inserted: readonly Inserted[];
}

/** A document that nobody else can have stored like this. */
export interface Inserted {
  readonly collection: string;
  readonly id: unknown;
  readonly _rev: unknown;
  /** Of a claim or a version. */
  readonly _write?: unknown;
}

/** @param entry as it was inserted */
export const insertedAs = (
  { collection, id }: Pick<WriteStep, 'collection' | 'id'>,
  entry: Entry,
): Inserted => ({
  collection,
  id,
  _rev: entry['_rev'] ?? null,
  _write: entry['_write'] ?? null,
});

/** The outcome of a write that another process took over, for its first owner. Locks only itself. */
export interface WriteOutcome extends Ended {
  readonly _id: string;
  readonly locks: readonly string[];
}

export const outcomeId = (write: string): string => `${write}/outcome`;

/** Heads, images and outcomes. */
export const journalOf = (db: Db): Collection<Document & { _id: string }> => db.collection(JOURNAL);

export const lockOf = ({ collection, id }: Pick<WriteStep, 'collection' | 'id'>): string =>
  `${collection}/${idText(id)}`;

/** Whether a note that has not ended names a document. */
export const isNoted = async (db: Db, document: Pick<WriteStep, 'collection' | 'id'>): Promise<boolean> =>
  (await journalOf(db).countDocuments({ locks: lockOf(document) }, { limit: 1 })) > 0;

/** Which documents of a collection notes name that have not ended: their ids as texts (`idText`). */
export async function notedAmong(
  db: Db,
  collection: string,
  ids: readonly unknown[],
): Promise<ReadonlySet<string>> {
  const byLock = new Map(ids.map((id) => [lockOf({ collection, id }), idText(id)]));
  const notes = await journalOf(db)
    .find({ locks: { $in: [...byLock.keys()] } }, { projection: { locks: 1 } })
    .toArray();
  return new Set(notes.flatMap(({ locks }) => locks as string[]).flatMap((lock) => byLock.get(lock) ?? []));
}

const imageId = (write: string, at: number, side: 'before' | 'after'): string => `${write}/${at}/${side}`;

/**
 * Fields that are the same before and after the step are not needed: the stored document has them in either
 * case.
 */
const sidesOf = (step: WriteStep): Sides => differenceIn(step) ?? { before: step.before, after: step.after };

/**
 * The head of a write and its separate images, which are stored first, so that if the head exists, they do
 * too.
 */
export function noteOf({ steps: given, events }: Write, owner: string): Note {
  const _id = new ObjectId().toHexString();
  const steps = inWriteOrder(given);
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

/** Whether the images are stored separately from the head. */
export const hasImagesApart = ({ steps }: JournalHead): boolean => steps.some(({ images }) => !images);

/**
 * The steps of a note; null if images are missing. They are stored before the head and deleted after it, so only
 * another program, or an owner that paused for hours in between, leaves a head without them.
 */
export async function stepsOf(db: Db, head: JournalHead): Promise<WriteStep[] | null> {
  const images = hasImagesApart(head) ? await readImages(db, head) : [];
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

const readImages = (db: Db, head: JournalHead): Promise<Image[]> =>
  journalOf(db).find<Image>({ write: head._id }, { promoteLongs: false }).toArray();

const readSides = ({ buffer, position }: Binary): Sides =>
  deserialize(buffer.subarray(0, position), { promoteLongs: false }) as Sides;

/**
 * Steps that may be refused come first: taken claims, keys and schedules, then published entries. Claims are released at the end.
 */
export const inWriteOrder = (steps: readonly WriteStep[]): WriteStep[] =>
  [...steps].sort((a, b) => rankOf(a) - rankOf(b));

/**
 * The steps in three rounds: what is taken, entries, released claims. The collections of a round are written
 * concurrently, since the note covers all of them. The steps of one collection stay in order, since one may
 * free a unique value for the next.
 */
export function inRounds(steps: readonly WriteStep[]): WriteStep[][][] {
  const rounds = groupBy(inWriteOrder(steps), (step) => Math.ceil(rankOf(step) / 2));
  return [...rounds.values()].map((round) => [...groupBy(round, ({ collection }) => collection).values()]);
}

/** Of the entries of a collection. */
export const statusIn = (collection: string): Status =>
  collection.endsWith('.drafts') ? 'draft' : 'published';

function rankOf({ collection, after }: WriteStep): number {
  if (collection === CLAIMS) return after ? 0 : 3;
  if (collection === IDEMPOTENCY_KEYS || collection === SCHEDULED) return 0;
  return statusIn(collection) === 'draft' ? 2 : 1;
}

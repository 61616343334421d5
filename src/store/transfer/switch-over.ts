import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type Db, MongoServerError } from 'mongodb';
import { settingsOf } from '../connection/settings.js';
import { putInPlace } from './import-entries.js';

/** A collection and the one whose place it takes. */
interface Placed {
  readonly from: string;
  readonly to: string;
}

/** A switch under way: what is to be done, so that any process can complete it. */
export interface SwitchNote {
  readonly _id: 'switch';
  readonly id: string;
  /** Counts on while a process works on it. */
  readonly beat: number;
  readonly collections: readonly Placed[];
}

/** A process that reads content: it has seen the note of a switch, and then holds its reads back until the note is gone. */
interface Reading {
  readonly _id: string;
  readonly seen?: string;
  readonly held?: string;
}

/** Milliseconds after which a process that has not seen a note no longer exists. Reads of one that is need a look before. */
export const LOST_AFTER = 6000;
/** Milliseconds that reads which were under way may take. */
const DRAINED_AFTER = 120_000;
/** Milliseconds after which a note that nobody counts on was left by a process that ended. */
const LEFT_AFTER = 5000;
const LOOK_EVERY = 25;
const BEAT_EVERY = 1000;
const PREFIX = 'reading/';
/** The first id after all that begin so: `0` follows `/`. */
const PREFIX_END = 'reading0';
/** `NamespaceNotFound`: another process was faster. */
const GONE = 26;

const notes = (db: Db) => settingsOf<SwitchNote>(db);
const processes = (db: Db) => settingsOf<Reading>(db);

/**
 * Puts new collections in the place of old ones. No server lets renames be part of a transaction, so all processes hold their reads
 * back meanwhile (`Gate`): each read is of the old content or of the new.
 */
export async function switchCollections(db: Db, collections: readonly Placed[]): Promise<void> {
  const note: SwitchNote = { _id: 'switch', id: randomUUID(), beat: 0, collections };
  await notes(db).replaceOne({ _id: 'switch' }, note, { upsert: true });
  await carryOut(db, note);
}

/** Completes a switch whose process ended within it, or waits for one that is under way. */
export async function completeSwitch(db: Db): Promise<void> {
  const note = await noteOfSwitch(db);
  if (note) await followSwitch(db, note);
}

export const noteOfSwitch = (db: Db): Promise<SwitchNote | null> => notes(db).findOne({ _id: 'switch' });

/** Returns when the switch is done, by whomever. */
export async function followSwitch(db: Db, { id }: Pick<SwitchNote, 'id'>): Promise<void> {
  let beat: number | null = null;
  let since = performance.now();
  for (let note = await noteOfSwitch(db); note && note.id === id; note = await noteOfSwitch(db)) {
    if (note.beat !== beat) since = performance.now();
    beat = note.beat;
    if (performance.now() - since > LEFT_AFTER) await carryOut(db, note);
    else await wait(LOOK_EVERY);
  }
}

/** May be done by several processes at once. */
async function carryOut(db: Db, { id, collections }: SwitchNote): Promise<void> {
  const beat = () => notes(db).updateOne({ _id: 'switch', id }, { $inc: { beat: 1 } });
  const timer = setInterval(() => void beat().catch(() => undefined), BEAT_EVERY);
  try {
    await untilHeld(db, id);
    await place(db, collections);
    await notes(db).deleteOne({ _id: 'switch', id });
  } finally {
    clearInterval(timer);
  }
}

/** Waits for every process that reads. One that does not answer has ended without a word and is forgotten. */
async function untilHeld(db: Db, id: string): Promise<void> {
  const began = performance.now();
  for (;;) {
    const rows = await processes(db)
      .find({ _id: { $gte: PREFIX, $lt: PREFIX_END } })
      .toArray();
    const past = performance.now() - began;
    const missing = rows.filter(({ held }) => held !== id);
    const lost = missing.filter(({ seen }) => past > (seen === id ? DRAINED_AFTER : LOST_AFTER));
    if (lost.length > 0) await processes(db).deleteMany({ _id: { $in: lost.map(({ _id }) => _id) } });
    if (missing.length === lost.length) return;
    await wait(LOOK_EVERY);
  }
}

const place = async (db: Db, collections: readonly Placed[]): Promise<void> => {
  await Promise.all(
    collections.map(({ from, to }) =>
      putInPlace(db, from, to).catch((error: unknown) => {
        if (!(error instanceof MongoServerError) || error.code !== GONE) throw error;
      }),
    ),
  );
};

/** Says that a process reads content, or what it knows of a switch. */
export const noteReading = async (
  db: Db,
  process: string,
  state: Omit<Reading, '_id'> = {},
): Promise<void> => {
  await processes(db).replaceOne({ _id: `${PREFIX}${process}` }, state, { upsert: true });
};

export const forgetReading = async (db: Db, process: string): Promise<void> => {
  await processes(db).deleteOne({ _id: `${PREFIX}${process}` });
};

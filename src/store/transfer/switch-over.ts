import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { hasCollection } from '../connection/collections.js';
import { deleteNamed } from '../connection/delete.js';
import { settingsOf } from '../connection/settings.js';
import { putInPlace } from './import-entries.js';

/** A collection, and the one that it replaces. */
interface Placed {
  readonly from: string;
  readonly to: string;
}

/** The record of a switch in progress, with everything that another process needs to complete it. */
export interface SwitchNote {
  readonly _id: 'switch';
  readonly id: string;
  /** Incremented while a process is working on it. */
  readonly beat: number;
  readonly collections: readonly Placed[];
}

/**
 * A process that reads content. It records that it has seen a switch, and then that it holds its reads back
 * until the switch is complete.
 */
interface Reading {
  readonly _id: string;
  readonly seen?: string;
  readonly held?: string;
}

/**
 * Milliseconds after which a process that has not seen a switch is considered dead. If it is alive after all,
 * its reads check for a switch first.
 */
export const LOST_AFTER = 6000;
/** Milliseconds that the reads in progress may take. */
const DRAINED_AFTER = 120_000;
/** Milliseconds without a beat after which a switch is considered abandoned. */
const LEFT_AFTER = 5000;
const CHECK_EVERY = 25;
const BEAT_EVERY = 1000;
const PREFIX = 'reading/';
/** The first id after all that begin with the prefix: `0` follows `/`. */
const PREFIX_END = 'reading0';

const notes = (db: Db) => settingsOf<SwitchNote>(db);
const processes = (db: Db) => settingsOf<Reading>(db);

/**
 * Replaces old collections with new ones. Servers do not allow renames in a transaction, so all processes
 * hold their reads back meanwhile (`Gate`): each read sees either the old content or the new.
 */
export async function switchCollections(db: Db, collections: readonly Placed[]): Promise<void> {
  const note: SwitchNote = { _id: 'switch', id: randomUUID(), beat: 0, collections };
  await notes(db).replaceOne({ _id: 'switch' }, note, { upsert: true });
  await carryOut(db, note);
}

/** Completes a switch whose process crashed, or waits for one in progress. */
export async function completeSwitch(db: Db): Promise<void> {
  const note = await noteOfSwitch(db);
  if (note) await followSwitch(db, note);
}

export const noteOfSwitch = (db: Db): Promise<SwitchNote | null> => notes(db).findOne({ _id: 'switch' });

/** Returns when the switch is complete, whichever process completes it. */
export async function followSwitch(db: Db, { id }: Pick<SwitchNote, 'id'>): Promise<void> {
  let beat: number | null = null;
  let since = performance.now();
  for (let note = await noteOfSwitch(db); note && note.id === id; note = await noteOfSwitch(db)) {
    if (note.beat !== beat) since = performance.now();
    beat = note.beat;
    if (performance.now() - since > LEFT_AFTER && (await isTaken(db, note))) await carryOut(db, note);
    else await wait(CHECK_EVERY);
  }
}

/** Whether this process, of all that find a switch abandoned, is the one that completes it. */
const isTaken = async (db: Db, { id, beat }: SwitchNote): Promise<boolean> =>
  (await notes(db).updateOne({ _id: 'switch', id, beat }, { $inc: { beat: 1 } })).matchedCount === 1;

/** One that stalls may do this while another does. */
async function carryOut(db: Db, { id, collections }: SwitchNote): Promise<void> {
  const beat = () => notes(db).updateOne({ _id: 'switch', id }, { $inc: { beat: 1 } });
  const timer = setInterval(() => void beat().catch(() => undefined), BEAT_EVERY);
  try {
    await untilHeld(db, id);
    await place(db, collections);
    await deleteNamed(notes(db), { _id: 'switch', id });
  } finally {
    clearInterval(timer);
  }
}

/**
 * Waits until every reading process holds its reads back. A process that does not respond in time has crashed
 * and is removed.
 */
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
    await wait(CHECK_EVERY);
  }
}

const place = async (db: Db, collections: readonly Placed[]): Promise<void> => {
  await Promise.all(
    collections.map(({ from, to }) =>
      putInPlace(db, from, to).catch(async (error: unknown) => {
        // Another process was faster, which each server says in its own way.
        if (await hasCollection(db, from)) throw error;
      }),
    ),
  );
};

/** Registers a process that reads content, or records what it has seen of a switch. */
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

import type { Db } from 'mongodb';
import { WriteConflict } from '../entries/apply-step.js';
import type { Write } from '../entries/changes.js';
import { addEvents } from '../outbox/outbox.js';
import { batchedSteps } from './batched-steps.js';
import { newCompletions } from './completions.js';
import { isNoted, type JournalHead, journalOf, noteOf } from './journal-head.js';
import { newRecovery } from './journal-recovery.js';
import { newOwnNotes } from './own-notes.js';
import { OwnWrite } from './own-write.js';

/**
 * Milliseconds without a heartbeat after which an owner is considered dead, by the clock of the process that
 * watches it.
 */
const LEASE = 3000;
/** Writes on a server without transactions. */
export interface Journal {
  /**
   * Applies a write as an ordered sequence that a crash cannot leave incomplete: the write is noted, then
   * applied; then its events are added and the note is deleted, without the caller waiting for that. Throws
   * `WriteConflict` or a duplicate-key error if a step is refused, after undoing the previous steps.
   */
  write(write: Write): Promise<void>;
  /** Waits until the events of all applied writes have been added and their notes deleted. */
  settled(): Promise<void>;
  /** Whether a note that has not ended names this document. */
  isLocked(collection: string, id: unknown): Promise<boolean>;
  /** Completes the writes whose owners are dead, watching the heartbeats of unknown owners first. */
  recoverAll(): Promise<void>;
  /**
   * The same without waiting: only writes whose heartbeats were seen before and have stopped. For a running
   * server, which also deletes old outcomes here.
   */
  recoverOverdue(): Promise<void>;
}

export async function indexJournal(db: Db): Promise<void> {
  await journalOf(db).createIndex({ locks: 1 }, { name: 'locks', unique: true });
}

/**
 * @param db waits for the disk with each command. Otherwise a server that crashes and restarts loses steps that
 *   it has acknowledged, and whoever deletes the note after that deletes the only record of them.
 */
export function openJournal(db: Db, lease = LEASE): Journal {
  const own = newOwnNotes(db, lease);
  const recovery = newRecovery(db, own, lease);
  const applyStep = batchedSteps(db);
  const completions = newCompletions(async (heads) => {
    await addEvents(
      db,
      heads.flatMap(({ events }) => events),
      null,
    );
    await own.forget(...heads);
  });

  const note = async (write: Write): Promise<JournalHead> => {
    const noted = noteOf(write, own.token);
    const { locks } = noted.head;
    await completions.unlocked(locks);
    if (await own.add(noted)) return noted.head;
    await recovery.overdue({ locks: { $in: locks } });
    throw new WriteConflict('mangrove.journal');
  };

  return {
    async write(write) {
      const began = performance.now();
      const head = await note(write);
      await new OwnWrite({ db, own, completions, applyStep, lease }, write, head).commit(began);
    },
    settled: completions.settled,
    isLocked: (collection, id) => isNoted(db, { collection, id }),
    recoverAll: recovery.all,
    async recoverOverdue() {
      await recovery.overdue();
      await recovery.forgetOutcomes();
    },
  };
}

import type { Document } from 'bson';
import type { Holder } from '../storage/conflicts.js';
import type { Snapshot } from '../storage/reader.js';
import type { Store } from '../storage/store.js';
import type { Writable } from '../storage/view.js';
import type { Writer } from '../storage/writer.js';
import { Overlay, type OverlayContext } from './overlay.js';

/** What transactions need from the engine. */
export interface TransactionContext extends OverlayContext {
  readonly store: Store;
  readonly writer: Writer;
  readonly sessions: { remember(view: Writable, session: string, number: number, reply: Document): void };
  /** The current committed state. */
  snapshot(): Snapshot;
}

/** The options in the first command of a transaction that apply to all of its commands. */
export interface TransactionTerms {
  readonly readLevel: string | undefined;
  /** The Stable API's parameters. */
  readonly api: string;
}

/** A multi-document transaction: a snapshot from its first command on, with its writes in memory until commit. */
export class Transaction implements Holder {
  readonly snapshot: number;
  readonly ended: Promise<void>;
  readonly view: Overlay;
  readonly startedAt = Date.now();
  lastUsed = Date.now();
  state: 'open' | 'committing' | 'committed' | 'aborted' = 'open';
  private readonly base: Snapshot;
  private finish: () => void = () => {};

  constructor(
    private readonly engine: TransactionContext,
    readonly session: string,
    readonly number: number,
    readonly terms: TransactionTerms,
  ) {
    engine.store.resetReadTxn();
    this.base = engine.snapshot();
    this.snapshot = engine.conflicts.commits;
    this.ended = new Promise((resolve) => {
      this.finish = resolve;
    });
    this.view = new Overlay(this.base, engine, this);
    engine.conflicts.begin(this);
  }

  /** Stores everything in one commit. Rejects with WriteConflict or the disk's error; nothing is stored in that case. */
  async commit(): Promise<void> {
    this.state = 'committing';
    try {
      await this.engine.writer.run((batch) => {
        this.view.applyTo(batch);
        this.engine.sessions.remember(batch, this.session, this.number, { committed: true });
      });
      this.state = 'committed';
    } catch (error) {
      this.state = 'aborted';
      throw error;
    } finally {
      this.release();
    }
  }

  /** Ends a transaction that has written nothing. */
  commitNothing(): void {
    this.state = 'committed';
    this.release();
  }

  /** Aborts the transaction; has no effect if it has ended. */
  abort(): void {
    if (this.state !== 'open') return;
    this.state = 'aborted';
    this.release();
  }

  private release(): void {
    this.view.release();
    this.base.close();
    this.finish();
  }
}

import { EngineError } from '../errors.js';

/** A write outside transactions met a key that an open transaction has written; it waits for the transaction's end. */
export class Blocked extends Error {
  constructor(readonly released: Promise<void>) {
    super('blocked by a transaction');
  }
}

/** The information about an open transaction that is needed to detect conflicts. */
export interface Holder {
  /** The number of the last commit that it sees. */
  readonly snapshot: number;
  /** Resolves at its end, committed or not. */
  readonly ended: Promise<void>;
}

/** The error of a write that lost against another; the driver repeats the whole transaction. */
export function writeConflict(): EngineError {
  return new EngineError(
    'WriteConflict',
    'Caused by :: Write conflict during plan execution and yielding is disabled. :: Please retry your operation or multi-document transaction.',
    {},
    ['TransientTransactionError'],
  );
}

/**
 * First writer wins: a key written by an open transaction belongs to it until it ends; a key that others have written since a
 * transaction's snapshot can no longer be written by it.
 */
export class Conflicts {
  /** The number of commits so far. */
  commits = 0;
  private readonly holders = new Map<string, Holder>();
  private readonly open = new Set<Holder>();
  /** The open transactions that have written to a collection, by its table. */
  private readonly writers = new Map<number, Set<Holder>>();
  /** Keys written while transactions were open, with the number of the commit. */
  private readonly recent = new Map<string, number>();

  get isIdle(): boolean {
    return this.open.size === 0;
  }

  begin(holder: Holder): void {
    this.open.add(holder);
  }

  /** Claims a key for a transaction. Throws WriteConflict. */
  claim(key: string, holder: Holder): void {
    const current = this.holders.get(key);
    if (current === holder) return;
    if (current !== undefined || (this.recent.get(key) ?? 0) > holder.snapshot) throw writeConflict();
    this.holders.set(key, holder);
  }

  /** Allows a write outside transactions, or throws `Blocked`. */
  checkFree(key: string): void {
    const holder = this.holders.get(key);
    if (holder !== undefined) throw new Blocked(holder.ended);
  }

  /** Notes that a transaction writes to a collection, which must itself not change until the transaction's end. */
  enter(table: number, holder: Holder): void {
    const writers = this.writers.get(table);
    if (writers === undefined) this.writers.set(table, new Set([holder]));
    else writers.add(holder);
  }

  /** Allows a change to a collection itself, or throws `Blocked`. */
  checkUnwritten(table: number): void {
    for (const holder of this.writers.get(table) ?? []) throw new Blocked(holder.ended);
  }

  /** Releases a transaction's keys and collections. */
  end(holder: Holder, keys: Iterable<string>): void {
    for (const [table, writers] of this.writers) {
      writers.delete(holder);
      if (writers.size === 0) this.writers.delete(table);
    }
    for (const key of keys) if (this.holders.get(key) === holder) this.holders.delete(key);
    this.open.delete(holder);
    if (this.open.size === 0) this.recent.clear();
  }

  noteCommit(keys: readonly string[]): void {
    this.commits += 1;
    if (this.open.size === 0) return;
    for (const key of keys) this.recent.set(key, this.commits);
  }
}

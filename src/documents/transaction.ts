/**
 * Several operations as one write: all of them are stored, or none. They are computed one after the other, each from
 * what is stored with the changes before it, and committed like a single one, so nothing is held while they are
 * computed. What was read by itself of a document that one of them changes is compared by the commit.
 */
import { calculateObjectSize } from 'bson';
import { errors } from '../errors.js';
import type { ContentType, Schema } from '../schema/types.js';
import { WriteConflict } from '../store/entries/apply-step.js';
import { Changes, type Entry, type WriteStep } from '../store/entries/changes.js';
import type { Written } from '../store/entries/idempotency-keys.js';
import { Pending } from '../store/entries/pending.js';
import type { ChangeEvent, Origin } from '../store/outbox/outbox.js';
import { idText } from '../values/id-text.js';
import { memberOf } from '../values/once-per.js';
import { isUnchanged } from './claims/claims-of.js';
import { claimKinds } from './claims/kinds.js';
import { findTaken } from './claims/taken.js';
import { commitWrite } from './commit/commit.js';
import { type DocumentsContext, newAttempt, refOf, type Transaction } from './context.js';
import { addKey, underKey, type WriteKey } from './idempotency.js';
import { documentLock } from './operations/document-locks.js';
import { retryOnConflict } from './operations/retry-on-conflict.js';
import { versionsOf } from './stored-versions.js';
import type { TransactionOptions } from './types.js';

/** Maximum bytes of all entries that one transaction writes. */
const MAX_BYTES = 32_000_000;

/** Another document has a unique value. */
class ValueTaken extends WriteConflict {
  constructor() {
    super('a unique value is taken');
  }
}

/** One attempt at a transaction. */
class Attempt implements Transaction {
  readonly pending = new Pending();
  /** For the operations. */
  readonly inside: DocumentsContext;
  private readonly events: ChangeEvent[] = [];
  private readonly seen = new Map<string, Entry>();
  private readonly outside: DocumentsContext;
  private readonly number: number;
  private last: Promise<unknown> = Promise.resolve();
  /** All operations of a request have the same. */
  private origin: Origin;
  private conflict: WriteConflict | null = null;
  private isRolledBack = false;
  private readonly toCall: (() => unknown)[] = [];
  private bytes = 0;
  isOver = false;

  /** @param careful whether operations compare unique values with what is stored */
  constructor(
    context: DocumentsContext,
    number: number,
    private readonly careful: boolean,
  ) {
    this.outside = context;
    this.number = number;
    this.origin = context.origin;
    this.inside = {
      ...context,
      transaction: this,
      read: async (collection, filter, fields, signal) => {
        const stored = await context.read(collection, filter, fields, signal);
        const known = fields ? stored : stored.map((entry) => this.firstRead(collection, entry));
        return this.pending.found(collection, filter, known);
      },
    };
  }

  /** The entry as it was first read, so that the commit compares it with what the work has seen of it. */
  private firstRead(collection: string, entry: Entry): Entry {
    return memberOf(this.seen, `${collection} ${idText(entry['_id'])}`, () => entry);
  }

  add: Transaction['add'] = (type, operation, request = {}) => {
    if (this.isOver) throw errors.application('transaction-over', 'The transaction is over');
    if (type.storage)
      throw errors.application(
        'transaction-in-place',
        `Documents of ${type.collectionName} are written in place: they cannot be part of a transaction`,
      );
    const done = this.last.then(async () => {
      const write = newAttempt(this.inside, type, this.number, request);
      this.origin = write.origin;
      try {
        const result = await operation(write);
        await this.refuseTaken(write.changes.steps());
        this.gather(write.changes.steps(), write.events);
        return result;
      } catch (error) {
        if (!(error instanceof WriteConflict)) throw error;
        // Whoever called the operation may handle its errors, but this one begins everything again.
        this.conflict ??= error;
        throw errors.busy();
      }
    });
    this.last = done.catch(() => undefined);
    return done;
  };

  afterCommit: Transaction['afterCommit'] = (work) => {
    this.toCall.push(work);
  };

  nested: Transaction['nested'] = async (work) => {
    try {
      return await work();
    } catch (error) {
      this.isRolledBack = true;
      throw error;
    }
  };

  /**
   * Throws a 400 for a unique value that a document has after the operations before. What is only stored is compared by
   * the commit, whose error does not tell the operation: it makes the next attempt careful.
   */
  private async refuseTaken(steps: readonly WriteStep[]): Promise<void> {
    const { schema, read } = this.inside;
    const versions = versionsOf(schema);
    const pending: typeof read = async (collection, filter) => this.pending.found(collection, filter, []);
    const context = this.careful ? this.inside : { ...this.inside, read: pending };
    for (const { collection, before, after } of steps) {
      const { type, status } = versions.get(collection) ?? {};
      if (!type || status !== 'published' || !after || isUnchangedIn(schema, type, before, after)) continue;
      const taken = await findTaken(context, refOf(type, after), after);
      if (taken.length > 0) throw errors.fields(taken);
    }
  }

  private gather(steps: readonly WriteStep[], events: readonly ChangeEvent[]): void {
    for (const { after } of steps) this.bytes += after ? calculateObjectSize(after) : 0;
    if (this.bytes > MAX_BYTES)
      throw errors.tooLarge(
        'transaction-too-large',
        `The entries of one transaction are larger than ${MAX_BYTES} bytes in total`,
      );
    this.pending.add(steps);
    this.events.push(...events);
  }

  /** Adds a key, unless nothing is written. */
  private addKey(key: WriteKey, written: Written): void {
    if (this.pending.steps().length === 0) return;
    const changes = new Changes();
    addKey(changes, key, written);
    this.pending.add(changes.steps());
  }

  /** Runs `work`, then commits what its operations have gathered, with `key`. */
  async run<T>(
    work: (inside: DocumentsContext) => Promise<T>,
    { budget, written }: TransactionOptions<T>,
    key: WriteKey | null,
  ): Promise<T> {
    try {
      const result = await work(this.inside);
      // Also what was not awaited.
      await this.last;
      this.isOver = true;
      if (this.conflict) throw this.conflict;
      if (this.isRolledBack)
        throw errors.application('transaction-rolled-back', 'A transaction within this one was rolled back');
      if (key && written) this.addKey(key, written(result));
      const { outside: context, pending: changes, events, origin, number: attempt } = this;
      const write = { ...context, changes, events, origin, inPlace: [], attempt };
      await commitWrite(budget ? { ...write, budget } : write);
      for (const work of this.toCall) await work();
      return result;
    } catch (error) {
      if (!this.conflict && this.isOver && !this.careful && errors.isTaken(error)) throw new ValueTaken();
      throw this.conflict ?? error;
    } finally {
      this.isOver = true;
    }
  }

  /** The names of the locks of what was written. */
  locks(): readonly string[] {
    const versions = versionsOf(this.outside.schema);
    const names = this.pending.steps().flatMap(({ collection, before, after }) => {
      const type = versions.get(collection)?.type;
      return (type && documentLock(type, (after ?? before)?.['documentId'])) ?? [];
    });
    return [...new Set(names)].sort();
  }
}

/** Whether an entry has the unique values that it had before. */
const isUnchangedIn = (schema: Schema, type: ContentType, before: Entry | null, after: Entry): boolean =>
  before !== null && claimKinds(schema, type).every((kind) => isUnchanged(kind, before, after));

/**
 * Runs `work` with a context whose operations are committed together. If one of the documents has changed meanwhile,
 * `work` runs again, and other writes of this process wait for it then.
 */
export function inTransaction<T>(
  context: DocumentsContext,
  work: (inside: DocumentsContext) => Promise<T>,
  options: TransactionOptions<T> = {},
): Promise<T> {
  let locks: readonly string[] = [];
  let careful = false;
  return retryOnConflict((number) => {
    const attempt = new Attempt(context, number, careful);
    const run = async (): Promise<T> => {
      try {
        return await underKey(context, options.writeKey, (key) => attempt.run(work, options, key));
      } catch (error) {
        careful ||= error instanceof ValueTaken;
        throw error;
      } finally {
        locks = attempt.locks();
      }
    };
    // In the order of their names, so that no two transactions wait for each other.
    return locks.reduceRight((inner, name) => () => context.withDocumentLock(name, inner), run)();
  });
}

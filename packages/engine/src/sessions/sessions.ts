import type { Binary, Document } from 'bson';
import { EngineError } from '../errors.js';
import { encodeDocument } from '../storage/encode.js';
import { RETRY_TABLE, tableKey, tableRange } from '../storage/layout.js';
import type { Reader, Writable } from '../storage/view.js';
import { documentReader } from '../values/byte-document.js';
import { decodeDocument } from '../values/index.js';
import { Transaction, type TransactionContext, type TransactionTerms } from './transaction.js';

/** The minutes after which an unused session is forgotten, as announced by hello. */
export const SESSION_MINUTES = 30;

const retryKey = (session: string): Buffer => tableKey(RETRY_TABLE, Buffer.from(session, 'hex'));

/** The last numbered write or committed transaction of a session, stored so that a repeated request is not executed twice. */
interface LastWrite {
  readonly number: number;
  readonly reply: Document;
}

/** Reads the session id of a command; undefined if it has none. */
export function sessionOf(body: Document): string | undefined {
  const id = body['lsid']?.['id'] as Binary | undefined;
  if (id === undefined) return undefined;
  if (id.buffer?.length !== 16) throw new EngineError('TypeMismatch', "Field 'lsid.id' must be a UUID");
  return Buffer.from(id.buffer).toString('hex');
}

/** The transactions of sessions, and the record of what each session has done last. */
export class Sessions {
  private readonly transactions = new Map<string, Transaction>();
  /** When each session was last used. */
  private readonly used = new Map<string, number>();

  constructor(private readonly engine: TransactionContext) {}

  get openTransactions(): number {
    return [...this.transactions.values()].filter((transaction) => transaction.state === 'open').length;
  }

  /** Begins a transaction; an older open one of the session is aborted. Throws if the number is not new. */
  begin(session: string, number: number, terms: TransactionTerms): Transaction {
    const last = this.transactions.get(session);
    if (last !== undefined && last.number > number) throw tooOld(session, number, last.number);
    if (last !== undefined && last.number === number) {
      throw new EngineError(
        'ConflictingOperationInProgress',
        `Given transaction number ${number} was already begun`,
      );
    }
    last?.abort();
    const transaction = new Transaction(this.engine, session, number, terms);
    this.transactions.set(session, transaction);
    return transaction;
  }

  /** The open transaction of a command. Throws NoSuchTransaction, which makes the driver start over. */
  find(session: string, number: number): Transaction {
    const transaction = this.transactions.get(session);
    if (transaction === undefined || transaction.number !== number || transaction.state === 'aborted') {
      throw noSuchTransaction(number);
    }
    transaction.lastUsed = Date.now();
    return transaction;
  }

  known(session: string, number: number): Transaction | undefined {
    const transaction = this.transactions.get(session);
    return transaction?.number === number ? transaction : undefined;
  }

  /** The response that a numbered write has already had. Throws TransactionTooOld. */
  recall(reader: Reader, session: string, number: number): Document | undefined {
    const bytes = reader.get(retryKey(session));
    if (bytes === undefined) return undefined;
    const last = decodeDocument(bytes) as LastWrite;
    if (Number(last.number) > number) throw tooOld(session, number, Number(last.number));
    return Number(last.number) === number ? last.reply : undefined;
  }

  /** Stores the response of a numbered write together with the write. */
  remember(view: Writable, session: string, number: number, reply: Document): void {
    view.put(retryKey(session), encodeDocument({ number, reply, at: new Date() }));
  }

  /** Notes that a session is in use. */
  note(session: string): void {
    this.used.set(session, Date.now());
  }

  /** Ends a session: its transaction is aborted. */
  end(session: string): void {
    this.used.delete(session);
    this.transactions.get(session)?.abort();
    this.transactions.delete(session);
  }

  /** Aborts transactions that are older than the given number of seconds, and forgets finished ones. */
  expire(now: number, life: number): void {
    for (const [session, at] of this.used) if (now - at > SESSION_MINUTES * 60_000) this.used.delete(session);
    for (const [session, transaction] of this.transactions) {
      if (transaction.state === 'open' && now - transaction.startedAt > life * 1000) transaction.abort();
      if (now - transaction.lastUsed > SESSION_MINUTES * 60_000) this.transactions.delete(session);
    }
  }

  /** Removes the records of sessions that have expired. */
  async forgetOld(now = Date.now()): Promise<void> {
    const limit = now - SESSION_MINUTES * 60_000;
    await this.engine.writer.run((batch) => {
      const read = documentReader(new Set(['at']));
      const old: Buffer[] = [];
      for (const { key, value } of batch.entries(tableRange(RETRY_TABLE))) {
        if ((read(value)['at'] as Date).getTime() < limit) old.push(key);
      }
      for (const key of old) batch.remove(key);
    });
  }

  abortAll(): void {
    for (const transaction of this.transactions.values()) transaction.abort();
  }
}

const tooOld = (session: string, number: number, last: number): EngineError =>
  new EngineError(
    'TransactionTooOld',
    `Cannot use transaction number ${number} on session ${session} because a newer one, ${last}, has already started`,
  );

export const noSuchTransaction = (number: number): EngineError =>
  new EngineError(
    'NoSuchTransaction',
    `Given transaction number ${number} does not match any in-progress transactions.`,
    {},
    ['TransientTransactionError'],
  );

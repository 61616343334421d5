import type { Transaction } from 'lmdb';
import { ALL_SHORTCUTS, type Shortcuts, use } from '../values/shortcuts.js';
import { type Catalog, CatalogLayer, countKey, decodeCount } from './catalog.js';
import type { Store } from './store.js';
import type { Entry, KeySpan, Lending, Reader } from './view.js';

const NOTHING: readonly never[] = [];

/** lmdb's range options for a span: ascending they include the start, descending they exclude it. */
export function rangeOptions(span: KeySpan, transaction?: Transaction): object {
  const base = transaction === undefined ? {} : { transaction };
  return span.reverse
    ? { ...base, start: span.end, end: span.start, reverse: true, exclusiveStart: true, inclusiveEnd: true }
    : { ...base, start: span.start, end: span.end };
}

/** Whether a span contains no key. */
export const isEmptySpan = (span: KeySpan): boolean => Buffer.compare(span.start, span.end) >= 0;

/** The committed state at one moment; it does not change until `close`. */
export class Snapshot implements Reader {
  readonly catalog: CatalogLayer;
  private readonly lender: Lending;
  private transaction: Transaction | undefined;
  private readonly options: { transaction: Transaction };

  constructor(
    private readonly store: Store,
    committed: Catalog,
    /** The number of the last commit in this state. */
    readonly commit: number,
    private readonly shortcuts: Shortcuts = ALL_SHORTCUTS,
  ) {
    this.lender = {
      get: (key) => store.lending.get(key, this.options),
      entries: (span) =>
        isEmptySpan(span) ? NOTHING : store.lending.getRange(rangeOptions(span, this.options.transaction)),
    };
    this.catalog = new CatalogLayer(committed);
    this.transaction = store.useReadTransaction();
    this.options = { transaction: this.transaction };
  }

  get lending(): Lending | undefined {
    return use(this.shortcuts, 'borrowedBytes') ? this.lender : undefined;
  }

  get(key: Buffer): Buffer | undefined {
    return this.store.get(key, this.options);
  }

  entries(span: KeySpan): Iterable<Entry> {
    if (isEmptySpan(span)) return NOTHING;
    return this.store.getRange(rangeOptions(span, this.options.transaction));
  }

  keys(span: KeySpan): Iterable<Buffer> {
    if (isEmptySpan(span)) return NOTHING;
    return this.store.getKeys(rangeOptions(span, this.options.transaction));
  }

  count(table: number): number {
    return decodeCount(this.get(countKey(table)));
  }

  /** Releases the state; lmdb may then reuse its pages. */
  close(): void {
    this.transaction?.done();
    this.transaction = undefined;
  }
}

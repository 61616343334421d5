import { createDocuments } from '../documents/service.js';
import type { Documents } from '../documents/types.js';
import { ApiError } from '../errors.js';
import type { ContentType } from '../schema/types.js';
import { groupBy } from '../values/group.js';
import { memberOf } from '../values/once-per.js';
import { Background } from './background.js';
import { SeedError } from './error.js';
import { createLibrary, type Library } from './library.js';
import { createNames, type NamedDocuments, namesIn } from './names.js';
import type { RowProgress } from './progress.js';
import { createReferences, type References, WOULD_BE } from './references.js';
import { type Item, type RowCall, RowCalls } from './row-calls.js';
import { isInOtherLocale, type SeedOptions, type SeedParts, type SeedReport, type SeedRow } from './types.js';

/** Maximum number of documents per transaction. */
const BATCH = 500;
/** Maximum number of concurrent transactions. */
const AT_ONCE = 4;

/** `isStored`: the row itself was stored, and only its references to other documents could not be. */
export type Refuse = (place: string, error: unknown, isStored: boolean) => void;

const NO_PROGRESS: RowProgress = { stored: () => undefined, later: () => undefined };

/** Writes rows in batches; references to documents that do not exist yet are written at the end. */
export class Writing {
  private readonly dryRun: boolean;
  private readonly documents: Promise<Pick<Documents, 'isWrapped' | 'together'>>;
  private readonly names: NamedDocuments;
  private readonly library: Library;
  private readonly references: References;
  private readonly calls: RowCalls;
  private readonly counted: Record<string, { created: number; updated: number }> = {};
  /** Rows of a batch that is not full yet. */
  private readonly buffers = new Map<ContentType, Item[]>();
  private readonly transactions = new Background(AT_ONCE);
  /** Where the document of each row was first given. */
  private readonly seen = new Map<string, string>();
  private readonly later: Item[] = [];
  private readonly endings: (() => Promise<void>)[] = [];

  constructor(
    private readonly parts: SeedParts,
    options: SeedOptions,
    private readonly refuse: Refuse,
  ) {
    const { schema, store, documents } = parts;
    this.dryRun = options.dryRun ?? false;
    this.documents = this.dryRun ? createDocuments({ ...parts, dryRun: {} }) : Promise.resolve(documents);
    this.names = createNames(namesIn(store));
    this.library = createLibrary(parts, this.dryRun);
    this.references = createReferences(schema, this.names, options);
    const { names, library, references } = this;
    this.calls = new RowCalls(parts, options, { names, library, references });
  }

  /** @param others the versions of the document in other locales */
  async add(row: SeedRow, others: readonly SeedRow[], progress: RowProgress): Promise<void> {
    const { type, locale, place } = row;
    const [by, text] = this.calls.identityOf(row);
    await this.names.load(type, by);
    if (type.kind === 'collectionType') {
      const id = [type.uid, by, text, locale ?? ''].join('\0');
      const before = this.seen.get(id);
      if (before !== undefined) throw new SeedError(`${by} "${text}" is also that of ${before}`);
      this.seen.set(id, place);
    }
    const item: Item = { row, others, progress, counts: true };
    // A version in another locale requires the document.
    if (isInOtherLocale(row, this.parts.config)) {
      this.later.push(item);
      return progress.later();
    }
    const buffer = memberOf(this.buffers, type, () => []);
    buffer.push(item);
    if (buffer.length < BATCH) return;
    this.buffers.delete(type);
    await this.begin(type, buffer, false);
  }

  /** Waits until all rows so far are written. */
  async flush(): Promise<void> {
    for (const [type, items] of this.buffers) if (items.length > 0) await this.begin(type, items, false);
    this.buffers.clear();
    await this.transactions.done();
  }

  /** Waits for running transactions, whether or not they succeed. */
  settled(): Promise<void> {
    return this.transactions.ended();
  }

  /** Writes the rows and references that had to wait. */
  async finish(): Promise<void> {
    await this.flush();
    for (const items of this.rounds()) await this.writeRound(items);
    for (const work of this.endings) await work();
  }

  /** Adds work to be done at the end of `finish`. */
  whenFinished(work: () => Promise<void>): void {
    this.endings.push(work);
  }

  report(): Pick<SeedReport, 'types' | 'files'> {
    return { types: this.counted, files: this.library.stored() };
  }

  private begin(type: ContentType, items: readonly Item[], last: boolean): Promise<void> {
    return this.transactions.begin(() => this.write(type, items, last));
  }

  private async write(type: ContentType, items: readonly Item[], last: boolean): Promise<void> {
    const calls: RowCall[] = [];
    const able: Item[] = [];
    for (const item of items)
      try {
        await this.references.prepare([item.row]);
        able.push(item);
      } catch (error) {
        this.failed(item, error);
      }
    for (const item of able)
      try {
        const call = await this.calls.callOf(item, last);
        if (!call) this.wait(item);
        // A dry run has no document whose references could be completed.
        else if (item.counts || !this.dryRun) calls.push(call);
      } catch (error) {
        this.failed(item, error);
      }
    if (calls.length > 0) await this.send(type, calls);
  }

  /** Writes all in one transaction; if that is refused, one by one, so that only the invalid rows fail. */
  private async send(type: ContentType, calls: readonly RowCall[]): Promise<void> {
    const service = await this.documents;
    if (calls.length > 1 && service.isWrapped(type.uid)) {
      for (const call of calls) await this.send(type, [call]);
      return;
    }
    try {
      const ids = await service.together(
        type.uid,
        calls.map(({ params }) => params),
      );
      for (const [at, call] of calls.entries()) this.written(call, ids[at] ?? '');
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (calls.length > 1) for (const call of calls) await this.send(type, [call]);
      else for (const { item } of calls) this.failed(item, error);
    }
  }

  private wait(item: Item): void {
    item.progress.later();
    this.later.push({ ...item, progress: NO_PROGRESS });
  }

  private written({ item, isNew, waiting }: RowCall, documentId: string): void {
    const { row, others, progress, counts } = item;
    this.names.note(row.type, this.dryRun ? WOULD_BE : documentId, row.data);
    const count = this.counted[row.type.uid] ?? { created: 0, updated: 0 };
    this.counted[row.type.uid] = count;
    if (counts) count[isNew ? 'created' : 'updated'] += 1;
    const known = this.dryRun ? row.documentId : documentId;
    if (waiting.length > 0) {
      const data = Object.fromEntries(waiting.map((name) => [name, row.data[name]]));
      const rest = { ...row, data, documentId: known };
      this.later.push({ row: rest, others: [], progress: NO_PROGRESS, counts: false });
    }
    for (const other of others)
      this.later.push({
        row: { ...other, documentId: known },
        others: [],
        progress: NO_PROGRESS,
        counts: true,
      });
    if (waiting.length + others.length > 0) progress.later();
    else progress.stored();
  }

  private failed({ row, progress, counts }: Item, error: unknown): void {
    this.refuse(row.place, error, !counts);
    progress.stored();
  }

  /** Groups the rows that waited into rounds in which each document occurs once. */
  private rounds(): Item[][] {
    const all: Item[][] = [];
    const times = new Map<string, number>();
    for (const item of this.later) {
      const id = [item.row.type.uid, ...this.calls.identityOf(item.row)].join('\0');
      const round = times.get(id) ?? 0;
      times.set(id, round + 1);
      const items = all[round] ?? [];
      all[round] = items;
      items.push(item);
    }
    return all;
  }

  private async writeRound(items: readonly Item[]): Promise<void> {
    for (const [type, own] of groupBy(items, ({ row }) => row.type))
      for (let at = 0; at < own.length; at += BATCH) await this.begin(type, own.slice(at, at + BATCH), true);
    await this.transactions.done();
  }
}

import { type Budget, overBudget } from '../../limits/budget.js';
import { assemble } from '../../pipeline/populate/assemble.js';
import { fillSlots } from '../../pipeline/slots.js';
import { idsInOrder } from '../../pipeline/sorts/ordering.js';
import type { CompiledRead, Doc, Ordering, ReadForm, SetJoin, Stage } from '../../pipeline/types.js';
import { collectionOf, storeFor } from '../connection/collections.js';
import type { Store } from '../connection/store.js';
import { askRows, type Page, toObject } from './ask.js';
import { alikeOf, askAlike } from './ask-alike.js';
import { askTogether } from './ask-together.js';
import { inTurn } from './in-turn.js';
import { asRefusal, isCursorLost, isTooLarge, readOptions } from './read-options.js';
import { type Given, resolveJoins, type SlotValues, TooManyValues } from './resolve-joins.js';
import { countsByMetadata, exactTotal, type Total, totalWithin } from './totals.js';

/** Bytes of the largest document. */
const MAX_DOCUMENT = 16 * 1024 * 1024;

export interface ReadResult {
  readonly rows: readonly Doc[];
  /** All entries that match; null where the read does not ask. */
  readonly total: number | null;
  /** The total is older than the page, or a least one, since counting took too long. */
  readonly inexact?: true;
}

/** What rows are made of, where not objects. It reads what other programs stored in the form that it is shown in. */
export interface RowReader {
  row(bytes: Uint8Array): Doc;
  /** The one document of a read in sets. */
  lists(bytes: Uint8Array, joins: readonly SetJoin[]): Doc;
}

interface RunOptions extends Given {
  /** Absent: rows are objects. */
  readonly reader?: RowReader;
  /** What runs of reads of this kind learn from each other. */
  readonly counting?: CountStrategy;
}

/**
 * Whether the last page of a kind of read was also the whole: then the next one is not counted beside its page, but after it, if
 * at all.
 */
export interface CountStrategy {
  canSkipCount: boolean;
}

/** Runs a compiled read. Throws an `ApiError` where it takes longer than the store's `maxTimeMS`. */
export function runRead(given: Store, compiled: CompiledRead, options: RunOptions = {}): Promise<ReadResult> {
  const store = storeFor(given, compiled.source.type);
  const { counting = { canSkipCount: false }, documentId = null, value = null, reader } = options;
  return withJoins(store, compiled, options, async (read, valueFor) => {
    const run = { store, read, valueFor, reader, documentId, value };
    if (read.ordering) return runOrdered(run);
    const page = () => pageOf(run);
    if (!read.withTotal) return { rows: await page(), total: null };
    const total = () => totalWithin(store, read, valueFor);
    if (!counting.canSkipCount) {
      const [rows, found] = await Promise.all([page(), total()]);
      counting.canSkipCount = toldBy(read, rows) !== null;
      return withTotal(read, rows, found);
    }
    const rows = await page();
    counting.canSkipCount = toldBy(read, rows) !== null;
    return withTotal(read, rows, counting.canSkipCount ? null : await total());
  });
}

/** A read whose semi-joins are resolved. */
interface Run {
  readonly store: Store;
  readonly read: CompiledRead;
  readonly valueFor: SlotValues;
  readonly reader: RowReader | undefined;
  readonly documentId: string | null;
  readonly value: string | null;
}

/** What the page itself tells is right at its own moment; where counting took too long, there are as many as it shows, and more. */
function withTotal(read: CompiledRead, rows: readonly Doc[], found: Total | null): ReadResult {
  const told = toldBy(read, rows);
  if (told !== null) return { rows, total: told };
  const least = read.skip + rows.length + (rows.length === read.limit ? 1 : 0);
  if (found?.exact) return { rows, total: found.count };
  return { rows, total: Math.max(found?.count ?? 0, least), inexact: true };
}

async function pageOf(run: Run, valueFor: SlotValues = run.valueFor): Promise<readonly Doc[]> {
  const { store, read, reader, documentId, value } = run;
  const { setJoins } = read;
  const inSets = setJoins.length > 0;
  const asRow = reader ? (inSets ? (row: Uint8Array) => reader.lists(row, setJoins) : reader.row) : toObject;
  const limit = inSets ? 1 : read.limit;
  const stages = [...fillSlots(read.stages, valueFor)];
  const alike = documentId === null && !inSets ? alikeOf(read.source, stages) : null;
  const together: Page['together'] = (limit, alone) =>
    alike
      ? askAlike({ store, alike }, alone).then((rows) => rows?.slice(0, limit) ?? null)
      : askTogether({ store, read, documentId, value, limit }, alone);
  const rows = await askRows({ store, source: read.source, stages, limit, together }, asRow);
  if (read.shape && !reader) return rows.map(read.shape);
  return inSets ? assemble(rows, setJoins) : rows;
}

/** A sort in sets: the ids of all that match, in their order; then the page of them. They tell the total, too. */
async function runOrdered(run: Run): Promise<ReadResult> {
  const { store, read, valueFor } = run;
  const { ids, all } = await idsOfPage(store, read, valueFor);
  const total = read.withTotal ? all : null;
  if (ids.length === 0) return { rows: [], total };
  const rows = await pageOf(run, withPage(valueFor, ids));
  const byId = new Map(rows.map((row) => [String(row['id']), row]));
  const found = ids.map((id) => byId.get(String(id))).filter((row) => row !== undefined);
  return { rows: found, total };
}

/** What puts the ids of all that match in order, of as many as a sort in sets takes. */
export const orderingStages = (
  { maxIds }: Store,
  { counted }: CompiledRead,
  { stages }: Ordering,
): readonly Stage[] => [...counted, { $limit: maxIds + 1 }, ...stages];

async function idsOfPage(
  store: Store,
  read: CompiledRead,
  valueFor: SlotValues,
): Promise<{ readonly ids: readonly unknown[]; readonly all: number }> {
  const { source, ordering, skip, limit } = read;
  if (ordering === null) return { ids: [], all: 0 };
  const stages = orderingStages(store, read, ordering);
  const [document] = await inTurn(store, () =>
    collectionOf(store, source)
      .aggregate([...fillSlots(stages, valueFor)], readOptions(store))
      .toArray(),
  );
  const ids = idsInOrder(document, ordering);
  if (ids === null || ids.length > store.maxIds) throw new TooManyToOrder();
  return { ids: ids.slice(skip, limit === null ? undefined : skip + limit), all: ids.length };
}

const withPage =
  (valueFor: SlotValues, ids: readonly unknown[]): SlotValues =>
  (of) =>
    of === 'page' ? ids : valueFor(of);

/** The slots of a read with the ids of its page, where it is read by them. */
export const slotsOfPage = async (
  store: Store,
  read: CompiledRead,
  valueFor: SlotValues,
): Promise<SlotValues> =>
  read.ordering ? withPage(valueFor, (await idsOfPage(store, read, valueFor)).ids) : valueFor;

/** More entries than a sort in sets takes, or some that their `id` does not tell apart. */
class TooManyToOrder extends Error {}

/** How many entries a compiled read matches, whatever its page. */
export const runCount = (given: Store, compiled: CompiledRead, options: RunOptions = {}): Promise<number> => {
  const store = storeFor(given, compiled.source.type);
  return withJoins(store, compiled, options, (read, valueFor) => exactTotal(store, read, valueFor));
};

/** Where a total comes from. */
export type CountedBy = 'sort' | 'page' | 'metadata' | 'count';

/** What tells the total of a read with this page; null where it asks for none. */
export function countedBy(store: Store, read: CompiledRead, rows: readonly unknown[]): CountedBy | null {
  if (!read.withTotal) return null;
  if (read.ordering) return 'sort';
  if (toldBy(read, rows) !== null) return 'page';
  return countsByMetadata(store, read) ? 'metadata' : 'count';
}

/** The total, where the page itself tells it. */
function toldBy({ skip, limit }: CompiledRead, rows: readonly unknown[]): number | null {
  const last = limit === null || rows.length < limit;
  return last && (rows.length > 0 || skip === 0) ? skip + rows.length : null;
}

/** Reads that were too large for their form, with what took their place: the next run does not try again. */
const settled = new WeakMap<CompiledRead, CompiledRead>();

/** Runs `run` with what the semi-joins of a read found, and in the form of the read that this takes. */
export async function withJoins<T>(
  store: Store,
  compiled: CompiledRead,
  given: Given,
  run: (read: CompiledRead, valueFor: SlotValues) => Promise<T>,
): Promise<T> {
  let read = settled.get(compiled) ?? compiled;
  let again = false;
  for (;;) {
    try {
      return await run(read, await resolveJoins(store, read, given));
    } catch (error) {
      if (isCursorLost(error) && !again) {
        again = true;
        continue;
      }
      const form = formAfter(error, read);
      if (form?.populate === 'rows' && read.form.populate !== 'rows') checkRoom(store.budget);
      if (form === null) throw asRefusal(error, store, read.readsValuesOfOthers);
      read = read.inForm(form);
      settled.set(compiled, read);
    }
  }
}

/** What passes 16 MB in sets shows at least as much by the row. Throws where the request may not have that much. */
function checkRoom(budget: Budget | undefined): void {
  if (budget && budget.limits.maxBytes <= MAX_DOCUMENT) throw overBudget('maxBytes', budget.limits);
}

/** The form that a read is tried in next; null where no other would help. */
function formAfter(error: unknown, { form, ordering, setJoins }: CompiledRead): ReadForm | null {
  if (error instanceof TooManyValues)
    return { ...form, byLookup: new Set([...form.byLookup, ...error.numbers]) };
  if (error instanceof TooManyToOrder) return { ...form, sort: 'rows' };
  if (!isTooLarge(error)) return null;
  if (form.sort === 'sets' && ordering) return { ...form, sort: 'rows' };
  return setJoins.length > 0 ? { ...form, populate: 'rows' } : null;
}

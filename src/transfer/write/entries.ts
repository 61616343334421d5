import { walkAllItems } from '../../documents/plan/items.js';
import { collectionName } from '../../schema/stored/collections.js';
import type { Schema } from '../../schema/types.js';
import { highestIdOf } from '../../store/entries/entries.js';
import { advanceSequence, headsOf, lastOf } from '../../store/transfer/import-entries.js';
import { groupBy } from '../../values/group.js';
import { remaining } from '../run/batches.js';
import { type Import, writtenName } from '../run/context.js';
import { type EntryRow, type ItemRow, type LinkRow, rowKey, statusesOfRow } from '../run/rows.js';
import { COMPONENTS, entryTally, reached } from '../run/state.js';
import { readStored, storedKey } from '../run/stored.js';
import { lost, type SourceEntry } from '../source/types.js';
import { lostDrafts, noteLostDrafts } from './lost-drafts.js';
import { reportDisallowed } from './rules.js';
import { storeVersions, type ToWrite } from './store-versions.js';
import type { BuildTools } from './tools.js';

const BATCH = 200;
/** Approximate characters of JSON in a batch; long texts end it early. */
const BATCH_SIZE = 4 * 1024 * 1024;

/** Writes every staged entry, in batches, in the order of the source. */
export async function write(run: Import): Promise<void> {
  await reserve(run);
  let done = run.state.at;
  for await (const batch of inBatches(remaining(run, run.source.entries()))) {
    await writeBatch(run, batch);
    done = batch.at(-1)?.[0] ?? done;
    await run.saved(done);
  }
  await writeAgain(run);
  reportDisallowed(run);
  for (const [attribute, count] of Object.entries(run.state.tally.repeated)) {
    const why = `${count === 1 ? 'one reference is' : `${count} references are`} in the same list a second time: each entry is stored once in a list`;
    run.report(lost('link', attribute, why));
  }
  await run.saved(done);
}

async function* inBatches(entries: AsyncIterable<Numbered>): AsyncGenerator<readonly Numbered[]> {
  let size = 0;
  let batch: Numbered[] = [];
  for await (const numbered of entries) {
    batch.push(numbered);
    size += sizeOf(numbered[1].data);
    if (batch.length < BATCH && size < BATCH_SIZE) continue;
    yield batch;
    [batch, size] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

/** Writes the drafts that others have deleted meanwhile. They are counted and reported already. */
async function writeAgain(run: Import): Promise<void> {
  const { staging, source, state } = run;
  if ((await staging.count('again')) === 0) return;
  const quiet: Import = {
    ...run,
    report: () => undefined,
    state: { ...state, at: 0, tally: structuredClone(state.tally), disallowed: {} },
  };
  for await (const batch of inBatches(remaining(quiet, source.entries()))) {
    const lost = await lostDrafts(
      run,
      batch.map(([, entry]) => rowKey(entry)),
    );
    const again = batch.filter(([, entry]) => lost.has(rowKey(entry)));
    if (again.length > 0) await writeBatch(quiet, again);
  }
}

/** An entry and its number among those of the source. */
type Numbered = readonly [number, SourceEntry];

const sizeOf = (value: unknown): number => {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let size = 8;
  for (const member of Object.values(value)) size += sizeOf(member);
  return size;
};

/**
 * Reserves numbers before anything is written, so that the import and a running server never use the same
 * ones. `base` is where the project's numbers ended.
 */
async function reserve(run: Import): Promise<void> {
  const { store, state, schema, mode, dryRun } = run;
  if (Object.keys(state.base).length > 0) return;
  const names = Object.keys(state.tally.entries).filter((uid) => schema.contentTypes.get(uid));
  for (const name of [COMPONENTS, ...names]) {
    const type = schema.contentTypes.get(name);
    const live = type ? await highestIdOf(store.db, type) : 0;
    const after = (last: number): number =>
      Math.max(mode === 'replace' ? 0 : last, state.highest[name] ?? 0) + 2 * numbersOf(run, name);
    const last = dryRun
      ? Math.max((await lastOf(store.db, name)) ?? 0, live)
      : await advanceSequence(store.db, name, live, after);
    state.base[name] = mode === 'replace' ? 0 : last;
    reached(state, name, state.base[name]);
  }
  await run.saved(state.at);
}

/** The number of entries or items that may need a number. */
const numbersOf = ({ state: { tally } }: Import, name: string): number =>
  (name === COMPONENTS ? tally.others[COMPONENTS] : tally.entries[name]?.read) ?? 0;

async function writeBatch(run: Import, entries: readonly Numbered[]): Promise<void> {
  const { staging, schema, state, source, defaultLocale } = run;
  const keys = entries.map(([, entry]) => rowKey(entry));
  const rows = await staging.find<EntryRow>('rows', keys);
  const present = entries.flatMap(([number, entry]) => {
    const row = rows.get(rowKey(entry));
    if (row && row.n !== number) leaveRepeated(run, entry);
    return row?.n === number ? [entry] : [];
  });
  const { links, targets } = await linksBy(run, present);
  const owners = await ownItems(run, present, links);
  const tools: BuildTools = {
    schema,
    extraFieldsKey: source.extraFieldsKey,
    defaultLocale: state.defaultLocale ?? defaultLocale,
    links: (key) => links.get(key) ?? [],
    target: (key) => targets.get(key),
    owns: (item, row) => (owners.get(item)?.row ?? row) === row,
    nextComponentId: () => next(run, COMPONENTS),
    report(problem) {
      if (problem.what === 'link' && !problem.kept) state.tally.links.leftOut += 1;
      run.report(problem);
    },
    repeated(attribute) {
      const { repeated, links } = state.tally;
      repeated[attribute] = (repeated[attribute] ?? 0) + 1;
      links.leftOut += 1;
    },
    crossesLocales(name) {
      if (!state.acrossLocales.includes(name)) state.acrossLocales.push(name);
    },
  };
  const versions = await versionsOf(run, present, rows);
  await storeVersions(run, versions, tools);
  await noteLostDrafts(run, versions);
}

/** Links name rows, so that two of one name cannot be told apart: the first is imported. */
function leaveRepeated({ state, report }: Import, entry: SourceEntry): void {
  entryTally(state, entry.uid).leftOut += 1;
  report(lost('entry', rowKey(entry), 'it is in the source a second time: the first one is imported'));
}

/** The references of entries and of their component items, by owner, with their target rows. */
async function linksBy({ staging, schema }: Import, entries: readonly SourceEntry[]) {
  const holders = entries.flatMap((entry) => [rowKey(entry), ...itemKeysOf(schema, entry)]);
  const found = await staging.findBy<LinkRow>('links', 'from', [...new Set(holders)]);
  const targets = await staging.find<EntryRow>('rows', [...new Set(found.map(({ to }) => to))]);
  return { links: groupBy(found, ({ from }) => from), targets };
}

const next = ({ state }: Import, name: string): number => {
  const number = (state.highest[name] ?? 0) + 1;
  reached(state, name, number);
  return number;
};

/** The keys of all component items of an entry, at any depth. */
const itemKeysOf = (schema: Schema, { uid, data }: SourceEntry): readonly string[] => {
  const type = schema.contentTypes.get(uid);
  const items = type ? [...walkAllItems(schema, type, data)] : [];
  return items
    .filter(({ item }) => item['id'] !== undefined)
    .map(({ item, model }) => rowKey({ uid: model.uid, ref: String(item['id']) }));
};

/** Which row contains an item first. Only items with links matter; they are identified by their number. */
async function ownItems(
  { staging, schema }: Import,
  entries: readonly SourceEntry[],
  links: ReadonlyMap<string, unknown>,
): Promise<ReadonlyMap<string, ItemRow>> {
  const wanted = entries.flatMap((entry): ItemRow[] => {
    const keys = itemKeysOf(schema, entry).filter((key) => links.has(key));
    return keys.map((_id) => ({ _id, row: rowKey(entry) }));
  });
  await staging.add('items', wanted);
  const keys = wanted.map(({ _id }) => _id);
  return staging.find<ItemRow>('items', keys);
}

/** The versions that these entries produce, with their numeric ids. */
async function versionsOf(
  run: Import,
  entries: readonly SourceEntry[],
  rows: ReadonlyMap<string, EntryRow>,
): Promise<readonly ToWrite[]> {
  const plain = entries.flatMap((entry) => {
    const row = rows.get(rowKey(entry));
    const type = run.schema.contentTypes.get(entry.uid);
    if (!row?.documentId || !type) return [];
    const { documentId } = row;
    return statusesOfRow(type, row).map((status, at) => {
      const collection = writtenName(run, collectionName(type, status));
      return { entry, collection, documentId, row, type, status, copy: at > 0 };
    });
  });
  const heads = await readStored(plain, (name, ids) => headsOf(run.store.db, name, ids));
  return plain.map(({ entry, collection, ...version }) => {
    const { type, documentId, row, copy } = version;
    const head = heads.get(storedKey(collection, documentId, type.localized ? row.locale : null)) ?? null;
    const base = run.state.base[type.uid] ?? 0;
    const numbered = (): number => {
      if (head !== null && head.id <= base) return head.id;
      // Also for what this batch stored before it was interrupted: the others get the numbers that they had.
      const own = !copy && entry.id !== null && entry.id > base ? entry.id : next(run, type.uid);
      return head?.id ?? own;
    };
    return { entry, collection, head, version: { ...version, id: numbered() } };
  });
}

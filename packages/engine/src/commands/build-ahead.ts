import type { Document } from 'bson';
import { fail, isRefusal } from '../errors.js';
import { type CompiledIndex, compileCollection, documentKeys, entryOf } from '../indexes/compile-index.js';
import { isKnownIndex, readIndexSpec } from '../indexes/index-spec.js';
import { noteIndex } from '../indexes/notes.js';
import type { Batch } from '../storage/batch.js';
import { type CollectionMeta, doomedKey, type IndexMeta, namespaceOf, newIndex } from '../storage/catalog.js';
import { recordBytes, recordKey, recordOf, tableRange } from '../storage/layout.js';
import type { Reader } from '../storage/view.js';
import { documentReader } from '../values/byte-document.js';
import { drive, PAUSE, type Paced, sortPaced } from '../values/pace.js';
import { isTurnOver, tick } from '../values/work.js';
import { commit, type Operation, readPaced } from './operation.js';

/** A collection with fewer documents gets its indexes in the commit that adds them. */
const FEW = 5000;
/**
 * The number of documents whose entries are sorted before they are written, so that each page of the index is written about once.
 */
const RUN = 400_000;
/** The number of entries in one commit. */
const PIECE = 4000;

const NOTHING = Buffer.alloc(0);

/** An index filled with the content of a collection at one moment, before the collection uses it. */
export interface ReadyIndex {
  readonly meta: IndexMeta;
  readonly collection: CollectionMeta;
  /** The number of the last commit before it was started. */
  readonly since: number;
}

/**
 * Fills new indexes of a large collection in several commits, so that others are served meanwhile. Until the collection takes an
 * index over, its table is marked for removal, so that a start after a crash removes it. An index that cannot be filled is
 * skipped, and rejected by the command that adds it.
 */
export async function buildAhead(
  operation: Operation,
  name: string,
  specs: readonly Document[],
): Promise<readonly ReadyIndex[]> {
  const { engine, db, transaction } = operation;
  const collection = engine.catalog.collections.get(namespaceOf(db, name));
  if (transaction !== undefined || collection === undefined || isSmall(operation, collection)) return [];
  const since = engine.conflicts.commits;
  const ready: ReadyIndex[] = [];
  try {
    for (const given of specs) {
      const spec = readIndexSpec(given, collection);
      if (isKnownIndex(collection, spec)) continue;
      const table = engine.catalog.newTable();
      await commit(operation, (batch) => batch.put(doomedKey(table), NOTHING));
      const begun: ReadyIndex = { meta: newIndex(table, spec), collection, since };
      ready.push(begun);
      ready.splice(-1, 1, { ...begun, meta: await fill(operation, begun) });
    }
  } catch (error) {
    await dropUnused(operation, ready, new Set());
    // Any other error is caused by the index or the stored data: the command itself reports it.
    if (!isRefusal(error)) throw error;
    return [];
  }
  return ready;
}

const isSmall = ({ engine }: Operation, { table, options }: CollectionMeta): boolean => {
  const reader = engine.snapshot();
  try {
    return options['viewOn'] !== undefined || reader.count(table) < FEW;
  } finally {
    reader.close();
  }
};

/** Whether nothing has been written to the collection since the index was started. */
export const isCurrent = ({ engine }: Operation, { collection, since }: ReadyIndex): boolean =>
  engine.versions.changedAt(collection.table) <= since;

/** Empties the tables of indexes that no collection has taken over. */
export async function dropUnused(
  { engine }: Operation,
  ready: readonly ReadyIndex[],
  used: ReadonlySet<ReadyIndex>,
): Promise<void> {
  for (const index of ready)
    if (!used.has(index))
      await engine.writer.run((batch) => batch.doom(index.meta.table, 'index build ended'));
}

/** An entry: the key's bytes as a string, which sorts faster, and the record number. */
interface Entry {
  readonly key: string;
  readonly record: number;
}

interface Run {
  readonly entries: readonly Entry[];
  readonly meta: IndexMeta;
  /** The record that the next batch begins with; undefined if there are no more. */
  readonly next: number | undefined;
}

async function fill(operation: Operation, index: ReadyIndex): Promise<IndexMeta> {
  const { collection } = index;
  const whole = { ...collection, indexes: [...collection.indexes, index.meta] };
  const compiled = compileCollection(whole).indexes.at(-1) as CompiledIndex;
  let { meta } = index;
  for (let next: number | undefined = 0; next !== undefined; ) {
    const from: number = next;
    const run: Run = await readPaced(operation, (reader) =>
      readRun(reader, collection, compiled, { meta, from }),
    );
    ({ meta, next } = run);
    const byKey = (a: Entry, b: Entry): number => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
    const sorted = await drive(operation.meter, sortPaced(run.entries, byKey));
    for (let at = 0; at < sorted.length; at += PIECE) {
      // It would have to be filled again anyway.
      if (!isCurrent(operation, index)) return meta;
      await commit(operation, (batch) => writeEntries(batch, compiled, sorted.slice(at, at + PIECE)));
    }
  }
  return meta;
}

/** The entries of the next documents. */
function* readRun(
  reader: Reader,
  collection: CollectionMeta,
  index: CompiledIndex,
  { meta: before, from }: { readonly meta: IndexMeta; readonly from: number },
): Paced<Run> {
  const read = documentReader(index.roots && new Set(index.roots));
  const { table } = collection;
  const span = { start: recordKey(table, from), end: tableRange(table).end };
  const entries: Entry[] = [];
  let meta = before;
  let documents = 0;
  for (const { key, value } of (reader.lending ?? reader).entries(span)) {
    const record = recordOf(key);
    if (documents === RUN) return { entries, meta, next: record };
    const found = documentKeys(index, read(value));
    for (const own of found.keys) entries.push({ key: own.key.toString('latin1'), record });
    meta = noteIndex(meta, found);
    documents += 1;
    tick();
    if (isTurnOver()) yield PAUSE;
  }
  return { entries, meta, next: undefined };
}

function writeEntries(batch: Batch, index: CompiledIndex, entries: readonly Entry[]): void {
  for (const { key, record } of entries) {
    const bytes = recordBytes(record);
    const stored = entryOf(index, Buffer.from(key, 'latin1'), bytes);
    // The command itself reports the values.
    if (index.unique && batch.get(stored.key) !== undefined)
      fail('DuplicateKey', 'two documents have the same key');
    batch.put(stored.key, stored.value);
  }
}

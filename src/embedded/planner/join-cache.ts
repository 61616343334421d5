import type { Document } from 'bson';
import { type CompiledIndex, compileCollection, fitKey } from '../indexes/compile-index.js';
import type { CollectionMeta } from '../storage/catalog.js';
import { recordKey, recordOf, tableKey } from '../storage/layout.js';
import { Snapshot } from '../storage/reader.js';
import type { Reader } from '../storage/view.js';
import { bsonTypeOf, decodeDocument, encodeKey, isDocument } from '../values/index.js';
import { noteBytes } from '../values/known-bytes.js';
import { type Flow, PAUSE, type Pause } from '../values/pace.js';
import { isTurnOver, tick } from '../values/work.js';

/** The total size in bytes of the cached documents; beyond it, the cache starts over. */
const MOST_BYTES = 32 * 1024 * 1024;
const LAST = Buffer.from([0xff]);
const SIMPLE = new Set(['string', 'int', 'objectId', 'bool', 'date']);

/**
 * Caches the decoded documents that joins found by a value of an index. Joined collections change rarely and
 * are read for every page. A commit that changes a collection removes its part, and only readers of the
 * latest state use the cache, so a result is always what the index would return.
 */
export class JoinCache {
  private readonly tables = new Map<number, Map<string, readonly Document[]>>();
  /** The number of the last commit that changed a collection. */
  private readonly changed = new Map<number, number>();
  private bytes = 0;

  /** Drops what was cached for the collections that a commit has changed. */
  noteCommit(commit: number, tables: Iterable<number>): void {
    for (const table of tables) {
      this.changed.set(table, commit);
      this.tables.delete(table);
    }
  }

  /** The documents whose field has one of the values; undefined if the cache does not apply. */
  find(reader: Reader, collection: CollectionMeta, filter: Document): Flow<Document> | undefined {
    if (!this.isCurrent(reader, collection.table)) return undefined;
    const asked = readPoints(filter);
    if (asked === undefined) return undefined;
    const index = compileCollection(collection).indexes.find((candidate) => serves(candidate, asked.path));
    if (index === undefined) return undefined;
    const keys = asked.values.map((value) =>
      tableKey(index.meta.table, fitKey(encodeKey([value], index.directions))),
    );
    return this.findAll(reader, collection, index, keys.sort(Buffer.compare));
  }

  /** The number of the last commit that changed a collection; 0 if none has since the start. */
  changedAt(table: number): number {
    return this.changed.get(table) ?? 0;
  }

  isCurrent(reader: Reader, table: number): boolean {
    return reader instanceof Snapshot && this.changedAt(table) <= reader.commit;
  }

  private *findAll(
    reader: Reader,
    collection: CollectionMeta,
    index: CompiledIndex,
    keys: readonly Buffer[],
  ): Generator<Document | Pause> {
    for (const key of keys) {
      const id = key.toString('latin1');
      // A commit may have happened during a pause; then this reader's result must not be cached.
      const points = this.isCurrent(reader, collection.table) ? this.pointsOf(collection.table) : undefined;
      let found = points?.get(id);
      if (found === undefined) {
        found = this.read(reader, collection, index, key);
        points?.set(id, found);
      }
      yield* found;
      tick();
      if (isTurnOver()) yield PAUSE;
    }
  }

  private pointsOf(table: number): Map<string, readonly Document[]> {
    if (this.bytes > MOST_BYTES) {
      this.tables.clear();
      this.bytes = 0;
    }
    let points = this.tables.get(table);
    if (points === undefined) {
      points = new Map();
      this.tables.set(table, points);
    }
    return points;
  }

  private read(reader: Reader, collection: CollectionMeta, index: CompiledIndex, key: Buffer): Document[] {
    const found: Document[] = [];
    for (const record of recordsAt(reader, index, key)) {
      tick();
      const bytes = reader.get(recordKey(collection.table, record));
      if (bytes === undefined) continue;
      const document = decodeDocument(bytes);
      noteBytes(document, bytes);
      // The decoded document takes about as much again as its bytes, and some more per field.
      this.bytes += bytes.length * 3 + 200;
      found.push(document);
    }
    this.bytes += 100;
    return found;
  }
}

function recordsAt(reader: Reader, index: CompiledIndex, key: Buffer): number[] {
  if (index.unique && index.paths.length === 1) {
    const value = reader.get(key);
    return value === undefined ? [] : [value.readUIntBE(0, 6)];
  }
  const span = { start: key, end: Buffer.concat([key, LAST]) };
  if (index.unique) return [...reader.entries(span)].map(({ value }) => value.readUIntBE(0, 6));
  return [...reader.keys(span)].map(recordOf);
}

const serves = (index: CompiledIndex, path: string): boolean =>
  index.paths[0] === path &&
  index.ordered &&
  !index.hidden &&
  !index.sparse &&
  index.partialFilter === undefined &&
  index.collation === undefined &&
  index.meta.multikey.length === 0 &&
  index.meta.cut !== true;

/** A filter that consists of one field and some plain values for it. */
function readPoints(filter: Document): { path: string; values: readonly unknown[] } | undefined {
  const entries = Object.entries(filter);
  const [path, condition] = entries[0] ?? [];
  if (entries.length !== 1 || path === undefined || path.startsWith('$') || !isDocument(condition))
    return undefined;
  const operators = Object.keys(condition);
  if (operators.length !== 1) return undefined;
  const values = operators[0] === '$eq' ? [condition['$eq']] : condition['$in'];
  if (!Array.isArray(values) || !values.every((value) => SIMPLE.has(bsonTypeOf(value)))) return undefined;
  return { path, values };
}

import type { CollectionMeta } from '../storage/catalog.js';
import { Snapshot } from '../storage/reader.js';
import type { Reader } from '../storage/view.js';
import { type Flow, PAUSE, type Paced, type Pause } from '../values/pace.js';
import { filterText, type Matching } from './filter-text.js';

/** The number of filters whose counts are kept. */
const MOST_KNOWN = 500;

/** The number of turns to wait for a stalled scan, which may have been abandoned. */
const MOST_TURNS = 50;

/** A scan of all documents that match a filter, which ends with their number. */
interface Walk {
  isRunning: boolean;
  /** Its progress: documents and pauses. */
  steps: number;
  /** Undefined if the scan has not reached its end. */
  count: number | undefined;
  /** The commit that it sees. */
  readonly commit: number;
}

/** The counters of a scan, and within the whole its share when it reached its end. */
export function* counted<T>(flow: Flow<T>, begin: () => Walk | undefined): Generator<T | Pause> {
  const walk = begin();
  let count = 0;
  try {
    for (const item of flow) {
      if (item !== PAUSE) count += 1;
      if (walk !== undefined) walk.steps += 1;
      yield item;
    }
    if (walk !== undefined) walk.count = count;
  } finally {
    if (walk !== undefined) walk.isRunning = false;
  }
}

/** What a count depends on. */
interface Counted extends Matching {
  readonly hint?: unknown;
  readonly min?: unknown;
  readonly max?: unknown;
}

/** Returns whether a collection has changed since a reader's state. */
interface Changes {
  changedAt(table: number): number;
}

/**
 * Remembers how many documents match a filter, from complete scans; sorts of all matches also count. So a
 * page and its total, requested in parallel, need only one scan, and in an unchanged collection nothing is
 * counted twice.
 */
export class KnownCounts {
  readonly #walks = new Map<string, Walk>();

  constructor(private readonly changes: Changes) {}

  /** Notes the start of a scan; undefined if its count would not be kept. The caller must end it. */
  begin(reader: Reader, collection: CollectionMeta, query: Counted): Walk | undefined {
    const key = keyOf(reader, collection, query);
    if (key === undefined || !(reader instanceof Snapshot)) return undefined;
    const walk: Walk = { isRunning: true, steps: 0, count: undefined, commit: reader.commit };
    this.#walks.delete(key);
    this.#walks.set(key, walk);
    if (this.#walks.size > MOST_KNOWN) this.#walks.delete(this.#walks.keys().next().value as string);
    return walk;
  }

  /** The count for a reader's state, or a promise of it if a scan is in progress; undefined if there is none. */
  *find(reader: Reader, collection: CollectionMeta, query: Counted): Paced<number | undefined> {
    const key = keyOf(reader, collection, query);
    const walk = key === undefined ? undefined : this.#walks.get(key);
    if (walk === undefined || !(reader instanceof Snapshot)) return undefined;
    const changedAt = this.changes.changedAt(collection.table);
    if (changedAt > walk.commit || changedAt > reader.commit) return undefined;
    let seen = walk.steps;
    for (let turns = 0; walk.isRunning && turns < MOST_TURNS; turns++) {
      yield PAUSE;
      if (walk.steps !== seen) turns = 0;
      seen = walk.steps;
    }
    return walk.count;
  }
}

/** Undefined if a count depends on more than the filter and the documents, or on a hint. */
function keyOf(reader: Reader, { table }: CollectionMeta, query: Counted): string | undefined {
  const { hint, min, max } = query;
  if (!(reader instanceof Snapshot) || hint !== undefined || min !== undefined || max !== undefined)
    return undefined;
  const text = filterText(query);
  return text === undefined ? undefined : `${table} ${text}`;
}

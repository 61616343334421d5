import type { Document } from 'bson';
import type { CollectionMeta } from '../storage/catalog.js';
import { encodeDocument } from '../storage/encode.js';
import { Snapshot } from '../storage/reader.js';
import type { Reader } from '../storage/view.js';
import { type Flow, PAUSE, type Paced, type Pause } from '../values/pace.js';
import type { Query } from './plan.js';

/** Filters whose counts are kept. */
const MOST_KNOWN = 500;
/** Bytes of a filter that is worth its memory. */
const LONGEST_FILTER = 4096;

/** Turns in which a walk that stands still is waited for: it may have been broken off. */
const MOST_TURNS = 50;

/** A walk through all documents that match a filter, which ends with their number. */
export interface Walk {
  isRunning: boolean;
  /** What it has come by so far, documents and pauses. */
  steps: number;
  /** Undefined where the walk has not come to its end. */
  count: number | undefined;
  /** The commit that it sees. */
  readonly commit: number;
}

/** What a scan takes, and in the walk how much that was where the scan came to its end. */
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

/** Tells whether a collection has changed since a reader's state. */
interface Changes {
  changedAt(table: number): number;
}

/**
 * How many documents match a filter, as walks have found that came by all of them: a sort of all that match counts them, too. So a page and
 * its total, asked for side by side, are one walk, and of a collection that nobody writes to nothing is counted twice.
 */
export class KnownCounts {
  readonly #walks = new Map<string, Walk>();

  constructor(private readonly changes: Changes) {}

  /** Notes that a walk begins; undefined where its count would not be kept. Whoever walks must end it. */
  begin(reader: Reader, collection: CollectionMeta, query: Query): Walk | undefined {
    const key = keyOf(reader, collection, query);
    if (key === undefined || !(reader instanceof Snapshot)) return undefined;
    const walk: Walk = { isRunning: true, steps: 0, count: undefined, commit: reader.commit };
    this.#walks.delete(key);
    this.#walks.set(key, walk);
    if (this.#walks.size > MOST_KNOWN) this.#walks.delete(this.#walks.keys().next().value as string);
    return walk;
  }

  /** The count that is known for a reader's state, or will be when a walk that is under way has ended; undefined where there is none. */
  *find(reader: Reader, collection: CollectionMeta, query: Query): Paced<number | undefined> {
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

/** Undefined where a count depends on more than the filter and the documents: variables, an index that is asked for, the clock. */
function keyOf(reader: Reader, { table }: CollectionMeta, query: Query): string | undefined {
  const { filter, collation, hint, variables, min, max } = query;
  if (!(reader instanceof Snapshot) || hint !== undefined || min !== undefined || max !== undefined)
    return undefined;
  if (variables !== undefined || Object.keys(filter).length === 0) return undefined;
  const asked: Document = { filter, ...(collation !== undefined && { collation }) };
  const text = encodeDocument(asked).toString('latin1');
  if (text.length > LONGEST_FILTER || text.includes('$expr')) return undefined;
  return `${table} ${text}`;
}

/**
 * Counts the entries that a read matches. A page never fails because of its total: counting has a time limit,
 * and when it is exceeded the page gets the last known total, or a lower bound from the page, marked as
 * inexact.
 */

import { fillSlots } from '../../pipeline/slots.js';
import type { CompiledRead } from '../../pipeline/types.js';
import { oncePer } from '../../values/once-per.js';
import { collectionOf } from '../connection/collections.js';
import type { Store } from '../connection/store.js';
import { isUnavailable } from '../connection/unavailable.js';
import { fetchBatch, toObject } from './fetch-rows.js';
import { fetchSimilar, similarRead } from './fetch-similar.js';
import { isLate, readOptions } from './read-options.js';
import type { ReadScope } from './read-scope.js';
import { withReadSlot } from './read-slot.js';
import type { SlotValues } from './resolve-joins.js';

export interface Total {
  readonly count: number;
  readonly exact: boolean;
}

/** Longer keys are not worth their memory. */
const LONGEST_KEY = 8192;

/** The store with the time limit of a count beside a page. */
const forTotals = oncePer((store: Store): Store => ({ ...store, maxTimeMS: store.totals.maxTimeMS }));

/**
 * The total, as exact as the settings require. Null if counting took too long and no earlier total is known.
 */
export async function totalWithin(
  scope: ReadScope,
  read: CompiledRead,
  valueFor: SlotValues,
): Promise<Total | null> {
  const { known, maxAgeMS } = scope.store.totals;
  const key = keyOf(read);
  const before = key === null ? undefined : known.get(key);
  if (before && Date.now() - before.at < maxAgeMS) return { count: before.count, exact: false };
  try {
    const count = await exactTotal({ ...scope, store: forTotals(scope.store) }, read, valueFor);
    if (key !== null) known.set(key, { count, at: Date.now() });
    return { count, exact: true };
  } catch (error) {
    if (!isLate(error) && !isUnavailable(error)) throw error;
    return before ? { count: before.count, exact: false } : null;
  }
}

/** Whether the total is the number of documents in the collection's metadata. */
export const countsByMetadata = ({ exactMetadata }: Store, { counted }: CompiledRead): boolean =>
  counted.length === 0 && exactMetadata;

/** Without a filter, MongoDB would count the documents themselves rather than their entries in an index. */
const hintFor = ({ engine }: Store, { counted, source }: CompiledRead): { readonly hint?: string } =>
  engine.name === 'mongodb' && counted.length === 0 && source.type.storage === null ? { hint: '_id_' } : {};

/** Throws if it takes longer than the store's `maxTimeMS`. */
export async function exactTotal(
  scope: ReadScope,
  read: CompiledRead,
  valueFor: SlotValues,
): Promise<number> {
  const { store } = scope;
  const { source, counted } = read;
  const { maxTimeMS } = store;
  const collection = collectionOf(store, source);
  if (countsByMetadata(store, read)) return collection.estimatedDocumentCount({ maxTimeMS });
  const stages = [...fillSlots(counted, valueFor)];
  return withReadSlot(scope, async () => {
    const similar = similarRead(source, [...stages, { $limit: FEW }, { $project: { _id: 0 } }]);
    const rows = similar && (await fetchSimilar({ scope, similar }));
    if (rows) return rows.length;
    const counting = [...stages, { $count: 'n' }];
    const hint = hintFor(store, read);
    const atOnce = await fetchBatch({ scope, source, stages: counting, ...hint }, 1);
    const [row] =
      atOnce?.map(toObject) ??
      (await collection.aggregate(counting, { ...readOptions(scope), ...hint }).toArray());
    // For no entries, MongoDB returns no row, other servers a zero.
    return Number(String(row?.['n'] ?? 0));
  });
}

/** Maximum number of rows for each of several combined counts to be counted in this process. */
const FEW = 25;

/**
 * The key of all reads that match the same entries, whatever their page, sort and population. The stages include what
 * the caller may read.
 */
const keyOf = oncePer(({ source, counted, semiJoins }: CompiledRead): string | null => {
  // A test in this process has no text that could be part of the key.
  if (semiJoins.some(({ check }) => check !== undefined)) return null;
  const joins = semiJoins.map((join) => [join.number, join.source.collection, join.stages]);
  const text = JSON.stringify([source.collection, counted, joins]);
  return text.length > LONGEST_KEY ? null : text;
});

/**
 * How many entries a read matches. A page never fails over its total: it is counted within a budget, and where that is not enough
 * the page gets the last total that is known, or what the page itself shows, and says that it is not exact.
 */

import { collectionName } from '../../pipeline/collection.js';
import { fillSlots, slotsOf } from '../../pipeline/slots.js';
import type { CompiledRead } from '../../pipeline/types.js';
import { oncePer } from '../../values/once-per.js';
import { collectionOf, databaseOf } from '../connection/collections.js';
import type { Store } from '../connection/store.js';
import type { Counted } from '../connection/totals.js';
import { isUnavailable } from '../connection/unavailable.js';
import { askAtOnce, toObject } from './ask.js';
import { alikeOf, askAlike } from './ask-alike.js';
import { countTogether } from './count-together.js';
import { inTurn } from './in-turn.js';
import { isLate, readOptions } from './read-options.js';
import type { SlotValues } from './resolve-joins.js';

export interface Total {
  readonly count: number;
  readonly exact: boolean;
}

/** Longer filters are not worth their memory. */
const LONGEST_KEY = 8192;

/** As exact as the settings want it. Null: it took too long, and none is known. */
export async function totalWithin(
  store: Store,
  read: CompiledRead,
  valueFor: SlotValues,
): Promise<Total | null> {
  const { known, maxAgeMS, maxTimeMS } = store.totals;
  const key = keyOf(read, valueFor);
  const before = key === null ? undefined : known.get(key);
  if (before && Date.now() - before.at < maxAgeMS) return { count: before.count, exact: false };
  try {
    const counted = countedOf(store, read, key);
    const countBy = (by: Store) => exactTotal({ ...by, maxTimeMS }, read, valueFor);
    const countAnew = () =>
      key === null || read.semiJoins.length > 0
        ? countBy(store)
        : countTogether(databaseOf(store, read.source.type), { store, name: key, count: countBy });
    const count = await (counted ? store.totals.kept.of(counted, countAnew) : countAnew());
    if (key !== null) known.set(key, { count, at: Date.now() });
    return { count, exact: true };
  } catch (error) {
    if (!isLate(error) && !isUnavailable(error)) throw error;
    return before ? { count: before.count, exact: false } : null;
  }
}

/**
 * What a total depends on, where this process knows of all that it writes there. Null: it is counted each time. That is so for what
 * goes by other ways than documents (files, accounts, collections of others), for what is joined to be counted, and for reads that
 * servers which lag behind may answer.
 */
function countedOf(store: Store, { source, semiJoins }: CompiledRead, key: string | null): Counted | null {
  const sources = [source, ...semiJoins.map((join) => join.source)];
  const lags = (store.db.readPreference?.mode ?? 'primary') !== 'primary' || store.session !== undefined;
  if (key === null || lags || /"\$(lookup|unionWith)"/.test(key)) return null;
  if (sources.some(({ type }) => type.origin !== 'api' || type.storage !== null)) return null;
  return { name: key, collections: sources.map(({ type, status }) => collectionName(type, status)) };
}

/** Whether a total is the number that the server keeps of the whole collection. */
export const countsByMetadata = ({ exactMetadata }: Store, { counted }: CompiledRead): boolean =>
  counted.length === 0 && exactMetadata;

/** Fails where it takes longer than the store's `maxTimeMS`. */
export async function exactTotal(store: Store, read: CompiledRead, valueFor: SlotValues): Promise<number> {
  const { source, counted } = read;
  const { maxTimeMS } = store;
  const collection = collectionOf(store, source);
  if (countsByMetadata(store, read)) return collection.estimatedDocumentCount({ maxTimeMS });
  const stages = [...fillSlots(counted, valueFor)];
  return inTurn(store, async () => {
    const alike = alikeOf(source, [...stages, { $limit: FEW }, { $project: { _id: 0 } }]);
    const rows = alike && (await askAlike({ store, alike }));
    if (rows) return rows.length;
    const counting = [...stages, { $count: 'n' }];
    const atOnce = await askAtOnce({ store, source, stages: counting }, 1);
    const [row] =
      atOnce?.map(toObject) ?? (await collection.aggregate(counting, readOptions(store)).toArray());
    // Of nothing, MongoDB answers with no row, others with a zero.
    return Number(String(row?.['n'] ?? 0));
  });
}

/** Rows that each of several counts side by side may have, for them to be counted here. */
const FEW = 25;

/** The same for reads that match the same entries, whatever their page, order and population. */
function keyOf(read: CompiledRead, valueFor: SlotValues): string | null {
  const key = planKeyOf(read);
  if (key === null || !countsByValue(read)) return key;
  return `${key} ${JSON.stringify(valueFor('value'))}`;
}

const countsByValue = oncePer(({ counted }: CompiledRead) => slotsOf(counted).includes('value'));

/** What may be read is in the stages. */
const planKeyOf = oncePer(({ source, counted, semiJoins }: CompiledRead): string | null => {
  // A test in this process has no text.
  if (semiJoins.some(({ check }) => check !== undefined)) return null;
  const joins = semiJoins.map((join) => [
    join.number,
    collectionName(join.source.type, join.source.status),
    join.stages,
  ]);
  const text = JSON.stringify([collectionName(source.type, source.status), counted, joins]);
  return text.length > LONGEST_KEY ? null : text;
});

/** Totals that several requests need in the same turn of the event loop: one command for all who need the same. */
import type { Db } from 'mongodb';
import { groupBy } from '../../values/group.js';
import { oncePer } from '../../values/once-per.js';
import { inOneTurn, orAtOnce } from '../connection/gather.js';
import type { Store } from '../connection/store.js';

interface Wanted {
  readonly store: Store;
  /** What is counted: all that its number depends on but the content. */
  readonly name: string;
  /** Counts with the store of one request, or with one that belongs to none. */
  count(by: Store): Promise<number>;
}

/** Null: only one request needs this total. */
type Sent = { readonly count: Promise<number> } | null;

const counterOf = oncePer((_: Db) => {
  const gathered = inOneTurn(async (all: readonly Wanted[]): Promise<readonly Sent[]> => {
    const sent = new Map<string, Sent>();
    for (const [name, [first, ...others]] of groupBy(all, (wanted) => wanted.name)) {
      if (!first || others.length === 0) continue;
      const { budget, ...anybody } = first.store;
      sent.set(name, { count: first.count(anybody) });
    }
    return all.map(({ name }) => sent.get(name) ?? null);
  });
  return orAtOnce(async (wanted: Wanted) => (await (await gathered(wanted))?.count) ?? null);
});

/** A total that is counted after it was asked for, and never before. */
export function countTogether(database: Db, wanted: Wanted): Promise<number> {
  const { store, count } = wanted;
  // A session belongs to one request.
  if (store.session) return count(store);
  return counterOf(database)(wanted, () => count(store));
}

/** Combines totals that several requests need in the same turn of the event loop into one command. */
import type { Db } from 'mongodb';
import { groupBy } from '../../values/group.js';
import { oncePer } from '../../values/once-per.js';
import { inOneTurn, orAtOnce } from '../connection/gather.js';
import type { Store } from '../connection/store.js';

interface CountRequest {
  readonly store: Store;
  /** Identifies the total: everything that its result depends on except the content. */
  readonly name: string;
  /** Counts with the store of a request, or with one that belongs to no request. */
  count(by: Store): Promise<number>;
}

/** Null: only one request needs this total. */
type Sent = { readonly count: Promise<number> } | null;

const counterOf = oncePer((_: Db) => {
  const gathered = inOneTurn(async (all: readonly CountRequest[]): Promise<readonly Sent[]> => {
    const sent = new Map<string, Sent>();
    for (const [name, [first, ...others]] of groupBy(all, (request) => request.name)) {
      if (!first || others.length === 0) continue;
      const { budget, ...anybody } = first.store;
      sent.set(name, { count: first.count(anybody) });
    }
    return all.map(({ name }) => sent.get(name) ?? null);
  });
  return orAtOnce(async (request: CountRequest) => (await (await gathered(request))?.count) ?? null);
});

/** Counts a total; the count never begins before this call. */
export function countTogether(database: Db, request: CountRequest): Promise<number> {
  const { store, count } = request;
  // Sessions cannot be shared by requests.
  if (store.session) return count(store);
  return counterOf(database)(request, () => count(store));
}

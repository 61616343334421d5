/** Combines totals that several requests need in the same turn of the event loop into one command. */
import type { Db } from 'mongodb';
import { isOn } from '../../limits/mechanisms.js';
import { oncePer } from '../../values/once-per.js';
import { newSharing, orAtOnce } from '../connection/gather.js';
import type { Store } from '../connection/store.js';

interface CountRequest {
  readonly store: Store;
  /** Identifies the total: everything that its result depends on except the content. */
  readonly name: string;
  /** Counts with the store of a request, or with one that belongs to no request. */
  count(by: Store): Promise<number>;
}

const counterOf = oncePer((_: Db) => orAtOnce(newSharing<number>()));

/** Counts a total; the count never begins before this call. */
export function countTogether(database: Db, { store, name, count }: CountRequest): Promise<number> {
  // Sessions cannot be shared by requests.
  if (store.session || !isOn('shared counts')) return count(store);
  const { budget, ...anybody } = store;
  return counterOf(database)({ key: name, run: () => count(anybody) }, () => count(store));
}

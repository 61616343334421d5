import type { Document } from 'bson';
import {
  type Collation,
  compileSort,
  type Keyed,
  type SortOrder,
  sortKeyed,
  valueComparer,
} from '../values/index.js';
import { type Flow, PAUSE, type Pause } from '../values/pace.js';

/** A row to sort, and the document by which it is sorted. */
interface Sortable<T> {
  readonly row: T;
  readonly document: Document;
}

function* keyed<T>(rows: Flow<Sortable<T>>, order: SortOrder): Generator<Pause | Keyed<T>> {
  for (const item of rows) {
    if (item === PAUSE) yield PAUSE;
    else yield { keys: order.keysOf(item.document), row: item.row };
  }
}

/** Sorts rows by a sort document. Ties keep their order. With `most`, only that many first rows are kept, which limits memory. */
export function* sortRows<T>(
  rows: Flow<Sortable<T>>,
  sort: Document,
  collation: Collation | undefined,
  most: number | undefined,
): Generator<T | Pause> {
  const order = compileSort(sort, valueComparer(collation));
  yield* yield* sortKeyed(keyed(rows, order), order, most);
}

/** The same for rows that are already ordered by the first `leading` fields: each run of equal ones is sorted separately. */
export function* sortRuns<T>(
  rows: Flow<Sortable<T>>,
  sort: Document,
  collation: Collation | undefined,
  { most, leading }: { readonly most: number | undefined; readonly leading: number },
): Generator<T | Pause> {
  const order = compileSort(sort, valueComparer(collation));
  let run: Keyed<T>[] = [];
  let left = most ?? Number.POSITIVE_INFINITY;
  for (const item of keyed(rows, order)) {
    if (item === PAUSE) {
      yield PAUSE;
      continue;
    }
    const [first] = run;
    if (first !== undefined && order.compareKeys(item.keys, first.keys, leading) !== 0) {
      const sorted = yield* sortKeyed(run, order, left);
      yield* sorted;
      left -= sorted.length;
      if (left <= 0) return;
      run = [];
    }
    run.push(item);
  }
  yield* yield* sortKeyed(run, order, left);
}

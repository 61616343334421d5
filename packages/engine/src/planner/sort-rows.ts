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

import { memberOf } from './once-per.js';

/** Appends a value to the list under its key. */
export function addTo<K, V>(groups: Map<K, V[]>, key: K, value: V): void {
  memberOf(groups, key, () => []).push(value);
}

/** The values of a stream in lists of `size`; the last may be shorter. */
export async function* inLists<T>(values: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let list: T[] = [];
  for await (const value of values) {
    if (list.push(value) < size) continue;
    yield list;
    list = [];
  }
  if (list.length > 0) yield list;
}

/** Groups values by key, keeping their order. */
export function groupBy<K, V>(values: Iterable<V>, keyOf: (value: V) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  for (const value of values) addTo(groups, keyOf(value), value);
  return groups;
}

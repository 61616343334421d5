import { memberOf } from './once-per.js';

/** Puts a value behind those that are under the same key already. */
export function addTo<K, V>(groups: Map<K, V[]>, key: K, value: V): void {
  memberOf(groups, key, () => []).push(value);
}

/** The values of a stream in lists of so many; the last may be shorter. */
export async function* inLists<T>(values: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let list: T[] = [];
  for await (const value of values) {
    if (list.push(value) < size) continue;
    yield list;
    list = [];
  }
  if (list.length > 0) yield list;
}

/** Values by key, in the order of their coming. */
export function groupBy<K, V>(values: Iterable<V>, keyOf: (value: V) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  for (const value of values) addTo(groups, keyOf(value), value);
  return groups;
}

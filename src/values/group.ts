import { memberOf } from './once-per.js';

/** Puts a value behind those that are under the same key already. */
export function addTo<K, V>(groups: Map<K, V[]>, key: K, value: V): void {
  memberOf(groups, key, () => []).push(value);
}

/** Values by key, in the order of their coming. */
export function groupBy<K, V>(values: Iterable<V>, keyOf: (value: V) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  for (const value of values) addTo(groups, keyOf(value), value);
  return groups;
}

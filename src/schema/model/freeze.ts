import { isPlainObject } from '../../values/plain-object.js';

const refuse = (): never => {
  throw new TypeError('A schema cannot be changed');
};

/** A map that cannot be changed; `Object.freeze` alone would not disable `set`. */
export function frozenMap<K, V>(entries: Iterable<readonly [K, V]>): ReadonlyMap<K, V> {
  const map = new Map(entries);
  return Object.freeze(Object.assign(map, { set: refuse, delete: refuse, clear: refuse }));
}

/**
 * Freezes plain objects and arrays recursively; functions, dates and other class instances are left
 * unchanged.
 */
export function deepFreeze<T>(value: T): T {
  if (!(Array.isArray(value) || isPlainObject(value)) || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}

const refuse = (): never => {
  throw new TypeError('A schema cannot be changed');
};

/** A map that cannot be changed: `Object.freeze` alone leaves `set` working. */
export function frozenMap<K, V>(entries: Iterable<readonly [K, V]>): ReadonlyMap<K, V> {
  const map = new Map(entries);
  return Object.freeze(Object.assign(map, { set: refuse, delete: refuse, clear: refuse }));
}

const isPlain = (value: object): boolean =>
  Array.isArray(value) || [Object.prototype, null].includes(Object.getPrototypeOf(value));

/** Freezes plain objects and arrays, and all such within; functions, dates and the like are left as they are. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || !isPlain(value) || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}

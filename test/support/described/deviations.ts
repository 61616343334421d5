const PLACE = Symbol.for('mangrove.test.deviations');

/**
 * Everything that was not as described, in the order of the requests. Hooks and tests are loaded apart from each other and share it all
 * the same.
 */
export const deviations: string[] = Reflect.get(globalThis, PLACE) ?? [];
Reflect.set(globalThis, PLACE, deviations);

const PLACE = Symbol.for('mangrove.test.deviations');

/**
 * All deviations from the description, in the order of the requests. Hooks and tests are loaded separately but share
 * it.
 */
export const deviations: string[] = Reflect.get(globalThis, PLACE) ?? [];
Reflect.set(globalThis, PLACE, deviations);

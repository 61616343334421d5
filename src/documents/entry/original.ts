import type { Entry } from '../../store/entries/changes.js';
import { isObject } from '../../values/plain-object.js';

/** In an item of the data of a clone: the stored item that it is a copy of, for what the data do not say. */
export const ORIGINAL: unique symbol = Symbol('original');

export function originalOf(given: Entry): Entry | null {
  const original = (given as { readonly [ORIGINAL]?: unknown })[ORIGINAL];
  return isObject(original) ? original : null;
}

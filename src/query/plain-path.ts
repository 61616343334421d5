import { isJsonType } from '../schema/scalars/index.js';
import type { SortKey } from './read-plan.js';

/**
 * The path to sort by, if nothing has to be computed. JSON may be a list, which MongoDB would sort by its
 * members.
 */
export function plainPath({ via, attribute }: SortKey): string | null {
  if (isJsonType(attribute.type)) return null;
  if (!via.every((hop) => hop.kind === 'component' && !hop.attribute.many)) return null;
  return [...via.map((hop) => hop.attribute.stored), attribute.stored].join('.');
}

import { scalarOf } from '../../schema/scalars/index.js';
import type { ScalarType } from '../../schema/types.js';

/** A cast and valid scalar in the form in which it is stored; null stays null. Throws a 400 for a date or time in another form. */
export const storedForm = (type: ScalarType, value: unknown): unknown => {
  const { store } = scalarOf(type);
  return value === null || !store ? value : store(value);
};

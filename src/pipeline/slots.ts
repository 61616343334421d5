import { isPlainObject } from '../values/plain-object.js';
import { Slot, type SlotName } from './types.js';

type ValueFor = (of: SlotName) => unknown;

/** A copy of `value` with every slot replaced. */
export const fillSlots = <T extends object>(value: T, valueFor: ValueFor): T => filled(value, valueFor) as T;

function filled(value: unknown, valueFor: ValueFor): unknown {
  if (value instanceof Slot) return valueFor(value.of);
  if (Array.isArray(value)) return value.map((item) => filled(item, valueFor));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, valueFor)]));
}

/** The names of all slots in `value`, without duplicates. */
export function slotsOf(value: object): readonly SlotName[] {
  const found = new Set<SlotName>();
  fillSlots(value, (of) => found.add(of));
  return [...found];
}

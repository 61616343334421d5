import { isOn } from '../limits/mechanisms.js';
import { oncePer } from '../values/once-per.js';
import { isPlainObject } from '../values/plain-object.js';
import { type Doc, Slot, type SlotName } from './types.js';

type ValueFor = (of: SlotName) => unknown;
/** Copies a value with its slots replaced. */
type Filler = (valueFor: ValueFor) => unknown;

/**
 * Stages are kept with their plan and filled for each run, so the positions of their slots are computed once.
 * Null if there are no slots.
 */
const fillerFor = oncePer((value: object) => fillerOf(value));

/** A copy of `value` with every slot replaced; `value` itself if it has none. */
export function fillSlots<T extends object>(value: T, valueFor: ValueFor): T {
  const filler = isOn('slot fillers') ? fillerFor(value) : fillerOf(value);
  return filler === null ? value : (filler(valueFor) as T);
}

/** The names of all slots in `value`, without duplicates. */
export function slotsOf(value: object): readonly SlotName[] {
  const found = new Set<SlotName>();
  fillSlots(value, (of) => found.add(of));
  return [...found];
}

function fillerOf(value: unknown): Filler | null {
  if (value instanceof Slot) return (valueFor) => valueFor(value.of);
  if (Array.isArray(value)) return listFiller(value);
  return isPlainObject(value) ? documentFiller(value) : null;
}

function listFiller(list: readonly unknown[]): Filler | null {
  const fillers = list.map(fillerOf);
  if (fillers.every((filler) => filler === null)) return null;
  return (valueFor) =>
    list.map((item, at) => {
      const filler = fillers[at];
      return filler ? filler(valueFor) : item;
    });
}

function documentFiller(document: Doc): Filler | null {
  const fillers = Object.entries(document).flatMap(([key, item]) => {
    const filler = fillerOf(item);
    return filler ? [[key, filler] as const] : [];
  });
  if (fillers.length === 0) return null;
  return (valueFor) => {
    const copy: Record<string, unknown> = { ...document };
    for (const [key, filler] of fillers) copy[key] = filler(valueFor);
    return copy;
  };
}

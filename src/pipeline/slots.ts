import { type Doc, Slot } from './types.js';

/** A copy of `value` with every slot replaced; `value` itself where it holds none. */
export function fillSlots<T>(value: T, valueFor: (of: Slot['of']) => unknown): T {
  return fill(value, valueFor) as T;
}

function fill(value: unknown, valueFor: (of: Slot['of']) => unknown): unknown {
  if (value instanceof Slot) return valueFor(value.of);
  if (Array.isArray(value)) {
    const filled = value.map((item) => fill(item, valueFor));
    return filled.some((item, index) => item !== value[index]) ? filled : value;
  }
  if (!isPlain(value)) return value;
  let copy: Record<string, unknown> | null = null;
  for (const [key, item] of Object.entries(value)) {
    const filled = fill(item, valueFor);
    if (filled === item) continue;
    copy ??= { ...value };
    copy[key] = filled;
  }
  return copy ?? value;
}

/** Every slot inside, each once. */
export function slotsOf(value: unknown): readonly Slot['of'][] {
  const found = new Set<Slot['of']>();
  fill(value, (of) => {
    found.add(of);
    return of;
  });
  return [...found];
}

const isPlain = (value: unknown): value is Doc =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

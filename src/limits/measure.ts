import { type BudgetLimits, overBudget } from './budget.js';

interface Size {
  /** Entries and files. */
  readonly rows: number;
  /** Characters of JSON, as good as bytes. */
  readonly bytes: number;
}

/** A number, a date or a flag. */
const SCALAR: Size = { rows: 0, bytes: 24 };

/**
 * Throws a 400 for an answer that shows more than the limits allow. Entries that several others refer to are one object in the
 * answer and many in its JSON: each is measured once, however often it counts, so nothing is ever expanded to be counted.
 */
export function checkAnswer(data: unknown, limits: BudgetLimits): void {
  const { maxRows, maxBytes } = limits;
  const known = new Map<object, Size>();

  const measure = (value: unknown): Size => {
    if (typeof value === 'string') return { rows: 0, bytes: value.length + 2 };
    if (typeof value !== 'object' || value === null || value instanceof Date) return SCALAR;
    const before = known.get(value);
    if (before) return before;
    const size = Array.isArray(value) ? ofList(value) : ofObject(value);
    if (size.rows > maxRows) throw overBudget('maxRows', maxRows);
    if (size.bytes > maxBytes) throw overBudget('maxBytes', maxBytes);
    known.set(value, size);
    return size;
  };

  const ofList = (list: readonly unknown[]): Size => {
    let rows = 0;
    let bytes = 2;
    for (const member of list) {
      const size = measure(member);
      rows += size.rows;
      bytes += size.bytes + 1;
    }
    return { rows, bytes };
  };

  const ofObject = (object: object): Size => {
    let rows = 'documentId' in object ? 1 : 0;
    let bytes = 2;
    for (const key in object) {
      const size = measure(Reflect.get(object, key));
      rows += size.rows;
      bytes += size.bytes + key.length + 4;
    }
    return { rows, bytes };
  };

  measure(data);
}

import { type BudgetLimits, overBudget } from './budget.js';

interface Size {
  /** Entries and files. */
  readonly rows: number;
  /** Characters of JSON, as good as bytes. */
  readonly bytes: number;
}

/** A number, a date or a flag. */
const SCALAR: Size = { rows: 0, bytes: 24 };

/** Throws a 400 for more than the limits allow. */
const checkSize = ({ rows, bytes }: Size, limits: BudgetLimits): void => {
  if (rows > limits.maxRows) throw overBudget('maxRows', limits);
  if (bytes > limits.maxBytes) throw overBudget('maxBytes', limits);
};

/**
 * Measures what an answer shows and throws a 400 where it is more than the limits allow. Entries that several others refer to are
 * one object in the answer and many in its JSON: each is measured once, however often it counts, so nothing is ever expanded to be
 * counted.
 */
export function newMeasure(limits: BudgetLimits): (value: unknown) => Size {
  const known = new Map<object, Size>();

  const measure = (value: unknown): Size => {
    if (typeof value === 'string') return { rows: 0, bytes: value.length + 2 };
    if (typeof value !== 'object' || value === null || value instanceof Date) return SCALAR;
    const before = known.get(value);
    if (before) return before;
    const size = Array.isArray(value) ? ofList(value) : ofObject(value);
    checkSize(size, limits);
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

  return measure;
}

/** Takes the rows of an answer one by one and throws a 400 as soon as they show more than the limits allow. */
export function newAnswerCheck(limits: BudgetLimits): (row: unknown) => void {
  const measure = newMeasure(limits);
  const sum = { rows: 0, bytes: 0 };
  return (row) => {
    const { rows, bytes } = measure(row);
    sum.rows += rows;
    sum.bytes += bytes + 1;
    checkSize(sum, limits);
  };
}

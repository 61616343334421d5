import { type BudgetLimits, overBudget } from './budget.js';

interface Size {
  /** Entries and files. */
  readonly rows: number;
  /** Characters of JSON, as an approximation of bytes. */
  readonly bytes: number;
}

/** A number, date or boolean. */
const SCALAR: Size = { rows: 0, bytes: 24 };

/** Throws a 400 if `size` exceeds the limits. */
const checkSize = ({ rows, bytes }: Size, limits: BudgetLimits): void => {
  if (rows > limits.maxRows) throw overBudget('maxRows', limits);
  if (bytes > limits.maxBytes) throw overBudget('maxBytes', limits);
};

/**
 * Returns a function that measures a value of a response and throws a 400 if it exceeds the limits. An entry
 * that is referenced several times is one object here but is repeated in the JSON: it is measured once and
 * its size added for each occurrence, so nothing is expanded just to be counted.
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

/** Takes the rows of a response one by one and throws a 400 as soon as their sum exceeds the limits. */
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

import type { Document } from 'bson';
import { fail } from '../errors.js';
import type { Compare } from './compare.js';
import { toDouble } from './numbers.js';
import { memberGetter, valuesAt } from './paths.js';
import { isDocument, isNumeric } from './types.js';

/** Reads the value that a document sorts by in one field. */
type ReadKey = (document: Document) => unknown;

/** One field of a sort. */
interface SortPart {
  readonly read: ReadKey;
  readonly direction: 1 | -1;
}

/** Of an array the least element counts when ascending and the greatest when descending. */
function extreme(values: readonly unknown[], direction: 1 | -1, compare: Compare): unknown {
  let best = values[0];
  for (let i = 1; i < values.length; i++) if (compare(values[i], best) * direction < 0) best = values[i];
  return best;
}

function keyReader(path: string, direction: 1 | -1, compare: Compare): ReadKey {
  if (path.includes('.')) {
    return (document) => extreme(valuesAt(document, path), direction, compare);
  }
  const get = memberGetter(path);
  return (document) => {
    const value = get(document);
    if (value === undefined) return null;
    if (!Array.isArray(value)) return value;
    return value.length === 0 ? undefined : extreme(value, direction, compare);
  };
}

function directionOf(value: unknown, path: string): 1 | -1 {
  const direction = isNumeric(value) ? toDouble(value) : Number.NaN;
  if (direction === 1 || direction === -1) return direction;
  return fail(15975, `$sort key ordering must be 1 (for ascending) or -1 (for descending): ${path}`);
}

/** Whether a sort's field asks for something else than a field's value, such as a text score. */
const isMeta = (value: unknown): boolean => isDocument(value) && '$meta' in value;

/** The fields of a sort. Throws 15976 for none and 15975 for a direction other than 1 and -1. */
function parseSort(sort: Document, compare: Compare): SortPart[] {
  const entries = Object.entries(sort).filter(([path]) => path !== '$natural');
  return entries.map(([path, value]) => {
    if (isMeta(value)) fail('NotImplemented', '$meta sorts are not supported by this engine');
    const direction = directionOf(value, path);
    return { read: keyReader(path, direction, compare), direction };
  });
}

/** A document with the values that it sorts by, read once. */
interface Keyed {
  readonly document: Document;
  readonly keys: readonly unknown[];
  readonly place: number;
}

function keyedOrder(parts: readonly SortPart[], compare: Compare): (a: Keyed, b: Keyed) => number {
  return (a, b) => {
    for (let i = 0; i < parts.length; i++) {
      const order = compare(a.keys[i], b.keys[i]);
      if (order !== 0) return (parts[i] as SortPart).direction * order;
    }
    return a.place - b.place;
  };
}

/** Sorts documents (stable), or the first `limit` of them by a heap that holds no more than those. */
export type SortDocuments = (documents: Iterable<Document>, limit?: number) => Document[];

function siftDown(heap: Keyed[], order: (a: Keyed, b: Keyed) => number): void {
  let at = 0;
  for (;;) {
    let largest = at;
    for (const child of [2 * at + 1, 2 * at + 2]) {
      if (child < heap.length && order(heap[child] as Keyed, heap[largest] as Keyed) > 0) largest = child;
    }
    if (largest === at) return;
    const held = heap[at] as Keyed;
    heap[at] = heap[largest] as Keyed;
    heap[largest] = held;
    at = largest;
  }
}

function siftUp(heap: Keyed[], order: (a: Keyed, b: Keyed) => number): void {
  let at = heap.length - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (order(heap[at] as Keyed, heap[parent] as Keyed) <= 0) return;
    const held = heap[at] as Keyed;
    heap[at] = heap[parent] as Keyed;
    heap[parent] = held;
    at = parent;
  }
}

/** Compiles a sort document. Missing sorts as null, an empty array below null, an array by its least or greatest. */
export function compileSortBy(sort: Document, compare: Compare): SortDocuments {
  const parts = parseSort(sort, compare);
  const order = keyedOrder(parts, compare);
  return (documents, limit = Number.POSITIVE_INFINITY) => {
    const heap: Keyed[] = [];
    let place = 0;
    for (const document of documents) {
      const keyed = { document, keys: parts.map((part) => part.read(document)), place: place++ };
      if (heap.length < limit) {
        heap.push(keyed);
        if (Number.isFinite(limit)) siftUp(heap, order);
      } else if (heap[0] !== undefined && order(keyed, heap[0]) < 0) {
        heap[0] = keyed;
        siftDown(heap, order);
      }
    }
    return heap.sort(order).map((keyed) => keyed.document);
  };
}

/** The comparison of two documents by a sort document, for merging and windows. */
export function compileSortOrder(sort: Document, compare: Compare): (a: Document, b: Document) => number {
  const parts = parseSort(sort, compare);
  return (a, b) => {
    for (const { read, direction } of parts) {
      const order = compare(read(a), read(b));
      if (order !== 0) return direction * order;
    }
    return 0;
  };
}

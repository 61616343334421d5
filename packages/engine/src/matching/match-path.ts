import type { Document } from 'bson';
import { isArrayIndex, memberGetter } from '../values/paths.js';
import { isDocument } from '../values/types.js';
import { tick } from '../values/work.js';

/** A test of one value at a path; `undefined` if the path leads nowhere. */
export type TestValue = (value: unknown) => boolean;

/** A test of a whole document. */
export type TestDocument = (document: Document) => boolean;

/** A test of the value at a path, starting from some value inside a document. */
type TestFrom = (value: unknown) => boolean;

/** Whether the elements of an array at the end of a path are tested, besides the array itself. */
export type Leaf = 'elements' | 'whole';

/** A test of the value at the end of a path. */
export function testLeaf(test: TestValue, leaf: Leaf): TestFrom {
  if (leaf === 'whole') return test;
  return (value) => {
    if (Array.isArray(value))
      for (const item of value) {
        tick();
        if (test(item)) return true;
      }
    return test(value);
  };
}

/** An array in the middle of a path: its documents are searched, and a numeric component is also an index. */
function testArray(
  parts: readonly string[],
  at: number,
  test: TestValue,
  leaf: Leaf,
): (array: readonly unknown[]) => boolean {
  const inDocument = testMember(parts, at, test, leaf);
  const name = parts[at] as string;
  if (!isArrayIndex(name)) {
    return (array) => {
      for (const item of array) {
        tick();
        if (isDocument(item) && inDocument(item)) return true;
      }
      return false;
    };
  }
  const index = Number(name);
  const last = at + 1 === parts.length;
  const below = last ? undefined : testFrom(parts, at + 1, test, leaf);
  const belowArray = last ? undefined : testArray(parts, at + 1, test, leaf);
  return (array) => {
    for (const item of array) {
      tick();
      if (isDocument(item) && inDocument(item)) return true;
    }
    if (index >= array.length) return false;
    const item = array[index];
    if (below === undefined || belowArray === undefined) return test(item);
    if (Array.isArray(item)) return belowArray(item);
    return isDocument(item) && below(item);
  };
}

function testMember(parts: readonly string[], at: number, test: TestValue, leaf: Leaf): TestDocument {
  const get = memberGetter(parts[at] as string);
  const below = at + 1 === parts.length ? testLeaf(test, leaf) : testFrom(parts, at + 1, test, leaf);
  return (document) => below(get(document));
}

function testFrom(parts: readonly string[], at: number, test: TestValue, leaf: Leaf): TestFrom {
  const inDocument = testMember(parts, at, test, leaf);
  let inArray: ((array: readonly unknown[]) => boolean) | undefined;
  return (value) => {
    if (isDocument(value)) return inDocument(value);
    if (Array.isArray(value)) {
      inArray ??= testArray(parts, at, test, leaf);
      return inArray(value);
    }
    return test(undefined);
  };
}

/**
 * Compiles a test of the values at a path: it holds if any of them passes. Arrays of documents in the middle are searched; an
 * array at the end means its elements and itself (`elements`) or only itself (`whole`). A path that leads nowhere tests
 * `undefined`; an array in the middle whose elements are not documents tests nothing.
 */
export function matchPath(path: string, test: TestValue, leaf: Leaf = 'elements'): TestDocument {
  const parts = path.split('.');
  return testMember(parts, 0, test, leaf);
}

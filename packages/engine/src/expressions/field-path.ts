import type { Document } from 'bson';
import { checkPath, type GetMember, memberGetter } from '../values/paths.js';
import { isDocument } from '../values/types.js';

/** Reads the value at a path: for arrays, the array of the values from each element. */
type ReadPath = (value: unknown) => unknown;

function readMember(get: GetMember, below: ReadPath | undefined): ReadPath {
  const inDocument = below === undefined ? get : (document: Document) => below(get(document));
  const inArray = (array: readonly unknown[]): unknown[] => {
    const out: unknown[] = [];
    for (const item of array) {
      if (!isDocument(item)) continue;
      const value = inDocument(item);
      if (value !== undefined) out.push(value);
    }
    return out;
  };
  return (value) => {
    if (isDocument(value)) return inDocument(value);
    return Array.isArray(value) ? inArray(value) : undefined;
  };
}

/** Compiles a path that is read from any value. */
export function compilePath(path: string): ReadPath {
  checkPath(path);
  return reader(path);
}

function reader(path: string): ReadPath {
  let read: ReadPath | undefined;
  for (const part of path.split('.').reverse()) read = readMember(memberGetter(part), read);
  return read as ReadPath;
}

/** Compiles a path that is read from a document. */
export function compileRootPath(path: string): (root: Document) => unknown {
  checkPath(path);
  const dot = path.indexOf('.');
  if (dot < 0) return memberGetter(path);
  const get = memberGetter(path.slice(0, dot));
  const below = reader(path.slice(dot + 1));
  return (root) => below(get(root));
}

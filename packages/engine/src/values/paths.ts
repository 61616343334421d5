import type { Document } from 'bson';
import { fail } from '../errors.js';
import { isDocument } from './types.js';

/** The fields of a DBRef, the only field names with a dollar sign that filters and expressions accept. */
export const isReferenceMember = (name: string): boolean =>
  name === '$ref' || name === '$id' || name === '$db';

/** Whether a document has the fields of a whole DBRef. */
export const isReference = (document: Document): boolean => '$ref' in document && '$id' in document;

/** Throws MongoDB's code for a path with an empty or `$` component. */
export function checkPath(path: string): void {
  if (path === '') fail(40352, 'FieldPath cannot be constructed with empty string');
  if (path.endsWith('.')) fail(40353, "FieldPath must not end with a '.'.");
  const [first] = path.split('.');
  for (const part of path.split('.')) {
    if (part === '') fail(15998, 'FieldPath field names may not be empty strings.');
    if (part.startsWith('$') && (part === first || !isReferenceMember(part)))
      fail(16410, `FieldPath field names may not start with '$'. Consider using $getField or $setField.`);
    if (part.includes('\0')) fail(16411, "FieldPath field names may not contain '\0'.");
  }
}

/** Whether a path equals another one or continues it. */
export const isWithin = (path: string, outer: string): boolean =>
  path === outer || path.startsWith(`${outer}.`);

/** The top-level field that a path begins with. */
export const rootOf = (path: string): string => path.split('.', 1)[0] as string;

/** The value at a path of fields, without searching arrays; undefined if the path ends early. */
export const valueAt = (document: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((value, name) => (isDocument(value) ? member(value, name) : undefined), document);

/** Reads one field of a document. */
export type GetMember = (document: Document) => unknown;

/** Reads an own field by name; names such as `constructor` do not reach the prototype. */
export function member(document: Document, name: string): unknown {
  const value = document[name];
  return value !== undefined && name in Object.prototype && !Object.hasOwn(document, name)
    ? undefined
    : value;
}

/** A reader for one field, with the guard against inherited names only if it is needed. */
export function memberGetter(name: string): GetMember {
  if (name in Object.prototype)
    return (document) => (Object.hasOwn(document, name) ? document[name] : undefined);
  return (document) => document[name];
}

/** Sets an own field, even one named `__proto__`. */
export function setMember(document: Document, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(document, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    document[name] = value;
  }
}

const DIGITS = /^(0|[1-9]\d*)$/;

/** Whether a path component may be the index of an array element. */
export const isArrayIndex = (component: string): boolean => DIGITS.test(component);

function collect(value: unknown, parts: readonly string[], at: number, out: unknown[]): void {
  if (at === parts.length) {
    collectLeaf(value, out);
    return;
  }
  const name = parts[at] as string;
  if (Array.isArray(value)) {
    collectArray(value, parts, at, out);
    return;
  }
  collect(isDocument(value) ? member(value, name) : undefined, parts, at + 1, out);
}

function collectLeaf(value: unknown, out: unknown[]): void {
  if (!Array.isArray(value)) out.push(value === undefined ? null : value);
  else if (value.length === 0) out.push(undefined);
  else out.push(...value);
}

function collectArray(value: readonly unknown[], parts: readonly string[], at: number, out: unknown[]): void {
  const name = parts[at] as string;
  if (isArrayIndex(name) && Number(name) < value.length) {
    collect(value[Number(name)], parts, at + 1, out);
    return;
  }
  if (value.length === 0) out.push(null);
  for (const item of value) {
    if (isDocument(item)) collect(item, parts, at, out);
    else out.push(null);
  }
}

/**
 * The values that an index on a path contains for a document, or that a sort on it chooses from: each element of an array,
 * through arrays of documents; null if there is no value, `undefined` for an empty array.
 */
export function valuesAt(document: Document, path: string): unknown[] {
  const out: unknown[] = [];
  collect(document, path.split('.'), 0, out);
  return out;
}

/** Whether there is no value at a path, not even null; sparse indexes leave such documents out. */
export function isMissingAt(document: Document, path: string): boolean {
  const probe = (value: unknown, parts: readonly string[]): boolean => {
    const [name, ...rest] = parts;
    if (name === undefined) return value !== undefined;
    if (Array.isArray(value)) {
      if (isArrayIndex(name) && Number(name) < value.length && probe(value[Number(name)], rest)) return true;
      return value.some((item) => isDocument(item) && probe(item, parts));
    }
    return isDocument(value) && probe(member(value, name), rest);
  };
  return !probe(document, path.split('.'));
}

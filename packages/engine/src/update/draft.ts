import type { Document } from 'bson';
import { fail } from '../errors.js';
import { isArrayIndex, member, setMember } from '../values/paths.js';
import { shellText } from '../values/shell-text.js';
import { isDocument } from '../values/types.js';

type Container = Document | unknown[];

const LARGEST_PADDING = 1_500_000;

/** A new version of a document that copies only what changes. */
export class Draft {
  readonly #owned = new WeakSet<object>();
  readonly #original: Document;
  root: Document;

  constructor(document: Document) {
    this.#original = document;
    this.root = document;
  }

  /** Whether anything was written. */
  get changed(): boolean {
    return this.root !== this.#original;
  }

  #own<T extends Container>(container: T): T {
    if (this.#owned.has(container)) return container;
    const copy = (Array.isArray(container) ? [...container] : { ...container }) as T;
    this.#owned.add(copy);
    return copy;
  }

  #created(container: Container): Container {
    this.#owned.add(container);
    return container;
  }

  /** The value at a concrete path; undefined if the path ends early. */
  get(parts: readonly string[]): unknown {
    let value: unknown = this.root;
    for (const part of parts) value = childOf(value, part);
    return value;
  }

  /** Throws PathNotViable if a scalar, or an array without such an index, blocks a path. */
  checkWay(parts: readonly string[]): void {
    let value: unknown = this.root;
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i] as string;
      const isContainer = Array.isArray(value) ? isArrayIndex(part) : isDocument(value);
      if (!isContainer) {
        const at = `{${parts[i - 1]}: ${shellText(value)}}`;
        fail(
          'PathNotViable',
          `Cannot use the part (${part}) of (${parts.join('.')}) to traverse the element (${at})`,
        );
      }
      value = childOf(value, part);
      if (value === undefined) return;
    }
  }

  /** Writes a value, creating documents along the path. Throws PathNotViable if a scalar blocks it. */
  set(parts: readonly string[], value: unknown): void {
    this.root = this.#own(this.root);
    let container: Container = this.root;
    for (let i = 0; i + 1 < parts.length; i++) {
      const part = parts[i] as string;
      const child = childOf(container, part);
      let next: Container;
      if (child === undefined) next = this.#created({});
      else if (isDocument(child) || Array.isArray(child)) next = this.#own(child);
      else next = notViable(parts[i + 1] as string, part, child);
      put(container, part, next, parts[i - 1]);
      container = next;
    }
    put(container, parts.at(-1) as string, value, parts.at(-2));
  }

  /** Removes a field; an array element becomes null. Does nothing if the path ends early. */
  unset(parts: readonly string[]): void {
    const last = parts.at(-1) as string;
    if (this.get(parts) === undefined) return;
    const way = parts.slice(0, -1);
    if (Array.isArray(way.length === 0 ? this.root : this.get(way))) {
      this.set(parts, null);
      return;
    }
    this.root = this.#own(this.root);
    let container: Container = this.root;
    for (const part of way) {
      const next: Container = this.#own(childOf(container, part) as Container);
      put(container, part, next);
      container = next;
    }
    delete (container as Document)[last];
  }
}

/** A field or, in an array, an element. */
export function childOf(value: unknown, part: string): unknown {
  if (Array.isArray(value)) return isArrayIndex(part) ? value[Number(part)] : undefined;
  return isDocument(value) ? member(value, part) : undefined;
}

const notViable = (field: string, parent: string, value: unknown): never =>
  fail('PathNotViable', `Cannot create field '${field}' in element {${parent}: ${shellText(value)}}`);

function put(container: Container, part: string, value: unknown, parent = 'array'): void {
  if (!Array.isArray(container)) {
    setMember(container, part, value);
    return;
  }
  if (!isArrayIndex(part)) notViable(part, parent, container);
  const place = Number(part);
  if (place - container.length > LARGEST_PADDING)
    fail('CannotIndexParallelArrays', 'array index too far beyond the end');
  while (container.length < place) container.push(null);
  container[place] = value;
}

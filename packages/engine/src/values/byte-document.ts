import type { Document } from 'bson';
import { fail } from '../errors.js';
import { decodeDocument, readValueAt, valueEnd } from './decode.js';
import { setMember } from './paths.js';

/** A value inside the bytes of a document: BSON's type byte, 0 for none, and where its bytes begin. */
export interface BytePlace {
  type: number;
  at: number;
}

/** A field name as bytes. */
const nameBytes = (name: string): Buffer => Buffer.from(name, 'utf8');

function isName(buffer: Buffer, at: number, name: Buffer): boolean {
  for (let i = 0; i < name.length; i++) if (buffer[at + i] !== name[i]) return false;
  return true;
}

const NO_SLOTS: readonly number[] = [];

/** Where a name ends. Throws if it has no end. */
function nameEnd(bytes: Buffer, start: number): number {
  let end = start;
  while (bytes[end] !== 0) {
    end += 1;
    if (end >= bytes.length) fail(22, 'bad BSON: a name without an end');
  }
  return end;
}

/**
 * A stored document of which only some fields are used. `read` scans its bytes once and notes where the fields are; a value is
 * decoded when it is requested. One instance serves all documents of a scan.
 */
export class ByteDocument {
  /** The bytes of the current document. */
  bytes: Buffer = Buffer.alloc(0);
  readonly #names: string[] = [];
  readonly #encoded: Buffer[] = [];
  /** The slots of the names of each length. */
  readonly #ofLength: number[][] = [];
  /** For each slot: the type, 0 if the field is missing, and the position of its value. */
  readonly #types: number[] = [];
  readonly #places: number[] = [];
  /** The slots that were found, in the order of the document. */
  readonly #found: number[] = [];
  #whole: Document | undefined;

  constructor(names: Iterable<string> = []) {
    for (const name of names) this.slot(name);
  }

  /** The slot for a field name, which is looked for from now on. */
  slot(name: string): number {
    const known = this.#names.indexOf(name);
    if (known >= 0) return known;
    const encoded = nameBytes(name);
    const slot = this.#names.push(name) - 1;
    this.#encoded.push(encoded);
    this.#types.push(0);
    this.#places.push(0);
    const others = this.#ofLength[encoded.length];
    if (others === undefined) this.#ofLength[encoded.length] = [slot];
    else others.push(slot);
    return slot;
  }

  /** Reads the next document. Throws for invalid BSON. */
  read(bytes: Buffer): this {
    this.bytes = bytes;
    this.#whole = undefined;
    const types = this.#types;
    const found = this.#found;
    found.length = 0;
    for (let i = 0; i < types.length; i++) types[i] = 0;
    let left = types.length;
    let at = 4;
    while (left > 0) {
      const type = bytes[at] ?? 0;
      if (type === 0 || type === undefined) break;
      const start = at + 1;
      const end = nameEnd(bytes, start);
      at = end + 1;
      for (const slot of this.#ofLength[end - start] ?? NO_SLOTS) {
        if (types[slot] !== 0 || !isName(bytes, start, this.#encoded[slot] as Buffer)) continue;
        types[slot] = type;
        this.#places[slot] = at;
        found.push(slot);
        left -= 1;
        break;
      }
      if (left > 0) at = valueEnd(bytes, type, at);
    }
    return this;
  }

  /** The type of a field, 0 if it is missing. */
  typeOf(slot: number): number {
    return this.#types[slot] as number;
  }

  /** Where the value of a field begins. */
  placeOf(slot: number): number {
    return this.#places[slot] as number;
  }

  /** The value of a field; undefined if it is missing. */
  value(slot: number): unknown {
    const type = this.typeOf(slot);
    return type === 0 ? undefined : readValueAt(this.bytes, type, this.placeOf(slot));
  }

  /** The fields that are looked for, or some of them, in document order. */
  members(slots?: ReadonlySet<number>): Document {
    const out: Document = {};
    for (const slot of this.#found) {
      if (slots === undefined || slots.has(slot))
        setMember(out, this.#names[slot] as string, this.value(slot));
    }
    return out;
  }

  /** The document, decoded once. */
  whole(): Document {
    this.#whole ??= decodeDocument(this.bytes);
    return this.#whole;
  }
}

/** Finds a field of an embedded document instead of the document's own. Its type is 0 if there is none. */
export function stepInto(bytes: Buffer, place: BytePlace, name: Buffer): void {
  let at = place.at + 4;
  for (;;) {
    const type = bytes[at] ?? 0;
    if (type === 0 || type === undefined) {
      place.type = 0;
      return;
    }
    const start = at + 1;
    const end = nameEnd(bytes, start);
    at = end + 1;
    if (end - start === name.length && isName(bytes, start, name)) {
      place.type = type;
      place.at = at;
      return;
    }
    at = valueEnd(bytes, type, at);
  }
}

/** Creates a reader of documents, or of only these fields. */
export function documentReader(fields: ReadonlySet<string> | undefined): (bytes: Buffer) => Document {
  if (fields === undefined) return decodeDocument;
  const document = new ByteDocument(fields);
  return (bytes) => document.read(bytes).members();
}

import { Buffer } from 'node:buffer';
import { LRUCache } from 'lru-cache';
import { type Layout, layoutOf } from './layout.js';
import type { Meter } from './meter.js';
import { OPEN, type Output } from './output.js';
import type { Row } from './rows.js';

/** What is written into, and what it may cost. */
export interface Answer {
  readonly out: Output;
  readonly meter: Meter;
}

/** A member of the document that is being written. */
export interface Spot {
  readonly bytes: Buffer;
  /** Where the document begins. */
  readonly start: number;
  /** The entry that it is, or stands in. */
  readonly entry: Row;
  /** Of the value; -1 where the member is missing. */
  type: number;
  /** Where the value begins. */
  at: number;
}

export interface Member {
  readonly name: string;
  /** Its name in the document, which others may be made of, too; null: it is made of the entry. */
  readonly stored: string | null;
  write(answer: Answer, spot: Spot): void;
}

/** Writes the document that begins at `start` of `bytes` as an object of JSON, and leaves it open. */
export type ObjectWriter = (answer: Answer, entry: Row, bytes: Buffer, start: number) => void;

/** Kinds of documents, known by their members: those of a schema, and what queries choose of them. */
const layouts = new LRUCache<string, Layout>({ max: 2000 });

function layoutFor(names: readonly string[]): Layout {
  const key = names.join('\0');
  const layout = layouts.get(key) ?? layoutOf(names);
  layouts.set(key, layout);
  return layout;
}

const keys = new LRUCache<string, Buffer>({ max: 5000 });

/** The name of a member that is not the first, with what stands before and behind it. */
function keyOf(name: string): Buffer {
  const key = keys.get(name) ?? Buffer.from(`,${JSON.stringify(name)}:`);
  keys.set(name, key);
  return key;
}

/** The names of the members are in the order of the answer, each once. */
export function objectWriter(members: readonly Member[]): ObjectWriter {
  const names = [...new Set(members.flatMap(({ stored }) => (stored === null ? [] : [stored])))];
  const layout = layoutFor(names);
  const slots = layout.newSlots();
  const numbered = members.map(({ name, stored, write }) => ({
    key: keyOf(name),
    slot: stored === null ? -1 : 2 * names.indexOf(stored),
    write,
  }));
  return (answer, entry, bytes, start) => {
    const { out } = answer;
    layout.find(bytes, start, slots);
    const begin = out.at;
    const spot: Spot = { bytes, start, entry, type: -1, at: -1 };
    if (numbered.length === 0) out.byte(OPEN);
    for (const { key, slot, write } of numbered) {
      spot.type = slot < 0 ? -1 : (slots[slot] ?? -1);
      spot.at = slot < 0 ? -1 : (slots[slot + 1] ?? -1);
      out.raw(key);
      write(answer, spot);
    }
    // In the place of the first comma.
    out.openAt(begin);
  };
}

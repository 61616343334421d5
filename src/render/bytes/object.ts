import { Buffer } from 'node:buffer';
import { layoutOf } from './layout.js';
import { OPEN, type Output } from './output.js';
import type { ResponseLimits } from './response-limits.js';
import type { BsonRow } from './rows.js';

/** The output of an answer, and its limits. */
export interface ResponseOutput {
  readonly out: Output;
  readonly limits: ResponseLimits;
}

/** A member of the document being written. */
export interface FieldCursor {
  readonly bytes: Buffer;
  /** Offset of the document. */
  readonly start: number;
  /** The entry itself, or the entry that contains it. */
  readonly entry: BsonRow;
  /** BSON type of the value; -1 if the member is missing. */
  type: number;
  /** Offset of the value. */
  at: number;
}

export interface Member {
  readonly name: string;
  /** Its name in the document, possibly used by several members; null if it is computed from the entry. */
  readonly stored: string | null;
  write(answer: ResponseOutput, cursor: FieldCursor): void;
}

/** Writes the document at `start` of `bytes` as a JSON object, without the closing brace. */
export type ObjectWriter = (answer: ResponseOutput, entry: BsonRow, bytes: Buffer, start: number) => void;

/** Names must be unique and in the order of the answer. */
export function objectWriter(members: readonly Member[]): ObjectWriter {
  const names = [...new Set(members.flatMap(({ stored }) => (stored === null ? [] : [stored])))];
  const layout = layoutOf(names);
  const slots = layout.newSlots();
  const numbered = members.map(({ name, stored, write }) => ({
    // The key with its preceding comma.
    key: Buffer.from(`,${JSON.stringify(name)}:`),
    slot: stored === null ? -1 : 2 * names.indexOf(stored),
    write,
  }));
  return (answer, entry, bytes, start) => {
    const { out } = answer;
    layout.find(bytes, start, slots);
    const begin = out.at;
    const cursor: FieldCursor = { bytes, start, entry, type: -1, at: -1 };
    if (numbered.length === 0) out.byte(OPEN);
    for (const { key, slot, write } of numbered) {
      cursor.type = slot < 0 ? -1 : (slots[slot] ?? -1);
      cursor.at = slot < 0 ? -1 : (slots[slot + 1] ?? -1);
      out.raw(key);
      write(answer, cursor);
    }
    // Replaces the first comma.
    out.openAt(begin);
  };
}

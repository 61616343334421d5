/** The answer of a read, in the parts that events are about. */
import { createHash } from 'node:crypto';
import type { JsonAnswer } from '../documents/read/reader.js';
import { mapInSlices } from '../limits/yield.js';
import { objectAt } from '../values/plain-object.js';

export interface LiveEntry {
  /** Which entry it is. */
  readonly key: string;
  readonly json: Buffer;
  readonly digest: string;
}

export interface LiveAnswer {
  /** JSON of `data`. */
  readonly data: Buffer;
  /** JSON of `meta`. */
  readonly meta: string;
  /** Those of a list, or the one that was asked for; none if it does not exist. */
  readonly entries: readonly LiveEntry[];
  /** Of everything in it: equal for equal answers. */
  readonly digest: string;
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const OPENING: ReadonlySet<number | undefined> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number | undefined> = new Set([0x5d, 0x7d]);

/** The JSON of each member of a list without blanks. */
export function membersOf(list: Buffer): Buffer[] {
  const members: Buffer[] = [];
  let [depth, start] = [0, 1];
  for (let at = 0; at < list.length; at++) {
    const byte = list[at];
    if (byte === QUOTE) at = endOfText(list, at);
    else if (OPENING.has(byte)) depth++;
    else if (CLOSING.has(byte)) depth--;
    else if (byte === COMMA && depth === 1) {
      members.push(list.subarray(start, at));
      start = at + 1;
    }
  }
  if (list.length > 2) members.push(list.subarray(start, -1));
  return members;
}

/** Where the text ends that begins at `start`. */
function endOfText(json: Buffer, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    if (json[at] === BACKSLASH) at++;
    else if (json[at] === QUOTE) return at;
  }
  return json.length;
}

const digestOf = (...parts: readonly (string | Buffer)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('base64url').slice(0, 22);
};

/** One document may be in a list in several locales, which have different ids. */
function entryOf(json: Buffer): LiveEntry {
  const { documentId, id } = objectAt(JSON.parse(json.toString()));
  return { key: JSON.stringify([documentId, id]), json, digest: digestOf(json) };
}

/** @param isList whether `data` is a list */
export async function answerOf({ json, pagination }: JsonAnswer, isList: boolean): Promise<LiveAnswer> {
  const data = json?.done() ?? Buffer.from('null');
  const meta = JSON.stringify(pagination === null ? {} : { pagination });
  const members = isList ? membersOf(data) : json ? [data] : [];
  return { data, meta, entries: await mapInSlices(members, entryOf), digest: digestOf(data, meta) };
}

/** The answer of a read, in the parts that events are about. */
import { createHash } from 'node:crypto';
import type { JsonAnswer } from '../documents/read/reader.js';
import { mapInSlices } from '../limits/yield.js';
import { objectAt } from '../values/plain-object.js';

export interface LiveEntry {
  /** Which entry it is. */
  readonly key: string;
  readonly json: string;
  readonly digest: string;
}

export interface LiveAnswer {
  /** JSON of `data`. */
  readonly data: string;
  /** JSON of `meta`. */
  readonly meta: string;
  /** Those of a list, or the one that was asked for; none if it does not exist. */
  readonly entries: readonly LiveEntry[];
  /** Of everything in it: equal for equal answers. */
  readonly digest: string;
}

const digestOf = (...parts: readonly string[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('base64url').slice(0, 22);
};

/** One document may be in a list in several locales, which have different ids. */
function entryOf(entry: unknown): LiveEntry {
  const { documentId, id } = objectAt(entry);
  const json = JSON.stringify(entry);
  return { key: JSON.stringify([documentId, id]), json, digest: digestOf(json) };
}

export async function answerOf({ json, pagination }: JsonAnswer): Promise<LiveAnswer> {
  const data = json?.done().toString() ?? 'null';
  const meta = JSON.stringify(pagination === null ? {} : { pagination });
  const shown: unknown = JSON.parse(data);
  const members: readonly unknown[] = Array.isArray(shown) ? shown : shown === null ? [] : [shown];
  return { data, meta, entries: await mapInSlices(members, entryOf), digest: digestOf(data, meta) };
}

import type { Entry, KeySpan } from '../storage/view.js';
import type { SortedKeys } from './sorted-keys.js';

/**
 * The entries of a span of a snapshot, with a transaction's own writes applied: new ones added, removed ones left out. Keys are
 * latin1 strings in the map, so that JavaScript's string order is byte order.
 */
export function* mergeSpans(
  stored: Iterable<Entry>,
  written: ReadonlyMap<string, Buffer | null>,
  keys: SortedKeys,
  span: KeySpan,
): Generator<Entry> {
  const own = keys.between(span.start.toString('latin1'), span.end.toString('latin1'));
  if (span.reverse) own.reverse();
  const comesFirst = span.reverse ? (a: string, b: string) => a > b : (a: string, b: string) => a < b;
  let at = 0;
  for (const entry of stored) {
    const key = entry.key.toString('latin1');
    while (at < own.length && comesFirst(own[at] as string, key))
      yield* ownEntry(own[at++] as string, written);
    if (at < own.length && own[at] === key) yield* ownEntry(own[at++] as string, written);
    else yield entry;
  }
  while (at < own.length) yield* ownEntry(own[at++] as string, written);
}

function* ownEntry(key: string, written: ReadonlyMap<string, Buffer | null>): Generator<Entry> {
  const value = written.get(key);
  if (value) yield { key: Buffer.from(key, 'latin1'), value };
}

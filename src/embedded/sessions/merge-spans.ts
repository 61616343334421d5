import type { Entry, KeySpan } from '../storage/view.js';

const within = (key: string, start: string, end: string): boolean => key >= start && key < end;

/**
 * The entries of a span of a snapshot with a transaction's own writes over them: new ones added, removed ones left
 * out. Keys are latin1 texts in the map, so that JavaScript's order of strings is the order of bytes.
 */
export function* mergeSpans(
  stored: Iterable<Entry>,
  written: ReadonlyMap<string, Buffer | null>,
  span: KeySpan,
): Generator<Entry> {
  const start = span.start.toString('latin1');
  const end = span.end.toString('latin1');
  const own = [...written.keys()].filter((key) => within(key, start, end)).sort();
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

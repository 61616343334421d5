/** What has changed between two answers, as Server-Sent Events. Pure. */
import type { LiveAnswer, LiveEntry } from './answer.js';

/** What is remembered of an answer: enough to tell what differs from it. */
export interface KnownAnswer {
  readonly digest: string;
  readonly keys: readonly string[];
  /** The digest of each entry, by its key. */
  readonly digests: ReadonlyMap<string, string>;
  readonly meta: string;
}

export const knownOf = ({ digest, entries, meta }: LiveAnswer): KnownAnswer => ({
  digest,
  keys: entries.map(({ key }) => key),
  digests: new Map(entries.map((entry) => [entry.key, entry.digest])),
  meta,
});

interface Difference {
  readonly name: 'appear' | 'update' | 'disappear' | 'move' | 'meta';
  /** JSON. */
  readonly data: string;
}

/** With more events than this the whole answer is sent, since to find them takes long. */
const MAX_EVENTS = 500;

/** @param id names what the receiver has then */
const written = (name: string, id: string, data: string): string =>
  `event: ${name}\nid: ${id}\ndata: ${data}\n\n`;

/** An event with the whole answer, as a GET has it. */
export const wholeEvent = (name: 'data' | 'reset', { digest, data, meta }: LiveAnswer): Buffer =>
  Buffer.from(written(name, digest, `{"data":${data},"meta":${meta}}`));

/**
 * Events that, applied one after the other, make the known answer the new one; null if the whole answer is shorter, or
 * entries cannot be told apart.
 */
export function eventsBetween(known: KnownAnswer, answer: LiveAnswer): Buffer | null {
  const keys = new Set(answer.entries.map(({ key }) => key));
  if (known.digests.size < known.keys.length || keys.size < answer.entries.length) return null;
  const found: Difference[] = [];
  let length = 0;
  for (const one of differences(known, answer)) {
    found.push(one);
    length += one.data.length;
    if (found.length > MAX_EVENTS || length > answer.data.length + answer.meta.length) return null;
  }
  const last = found.pop();
  if (!last) return null;
  // Until the last of them the receiver has what no answer was, and these are the ids of no answer.
  const before = found.map(({ name, data }, at) => written(name, `${known.digest}+${at + 1}`, data));
  return Buffer.from(before.join('') + written(last.name, answer.digest, last.data));
}

const about = (index: number, { json }: Pick<LiveEntry, 'json'>) => `{"index":${index},"entry":${json}}`;

function* differences(known: KnownAnswer, { entries, meta }: LiveAnswer): Generator<Difference> {
  const keys = [...known.keys];
  const wanted = new Set(entries.map(({ key }) => key));
  for (const [index, key] of [...keys.entries()].reverse()) {
    if (wanted.has(key)) continue;
    keys.splice(index, 1);
    const [documentId, id] = JSON.parse(key) as readonly unknown[];
    yield { name: 'disappear', data: about(index, { json: JSON.stringify({ id, documentId }) }) };
  }
  const moved = new Set<string>();
  const staying = entries.filter(({ key }) => known.digests.has(key));
  for (const { from, index, entry } of moves(keys, staying)) {
    moved.add(entry.key);
    yield { name: 'move', data: `{"from":${from},"index":${index},"entry":${entry.json}}` };
  }
  for (const [index, entry] of entries.entries()) {
    const before = known.digests.get(entry.key);
    if (before === undefined) yield { name: 'appear', data: about(index, entry) };
    else if (before !== entry.digest && !moved.has(entry.key))
      yield { name: 'update', data: about(index, entry) };
  }
  if (meta !== known.meta) yield { name: 'meta', data: `{"meta":${meta}}` };
}

interface Move {
  readonly from: number;
  readonly index: number;
  readonly entry: LiveEntry;
}

/** Brings `keys` into the order of the entries; each is taken out and put in again. */
function* moves(keys: string[], entries: readonly LiveEntry[]): Generator<Move> {
  const places = new Map(entries.map(({ key }, at) => [key, at]));
  for (const [at, { key }] of entries.entries()) {
    if (keys[at] === key) continue;
    // An entry that has gone down is moved itself, rather than all that it leaves behind.
    const from = keys[at + 1] === key ? at : keys.indexOf(key, at);
    const index = from === at ? (places.get(keys[at] ?? '') ?? at) : at;
    const entry = entries[from === at ? index : at];
    if (!entry) return;
    keys.splice(index, 0, ...keys.splice(from, 1));
    yield { from, index, entry };
  }
}

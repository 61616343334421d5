/** Values at the stored paths of an adopted collection, found in the bytes of its documents. */
import type { Buffer } from 'node:buffer';
import { type Form, walk } from '../../pipeline/populate/shape.js';
import { endOfName, endOfValue, int32, TYPE, valueAt } from '../../values/bson-bytes.js';
import type { Member, Spot } from './object.js';
import { isSame, type Read, spell } from './rows.js';

type Place = Pick<Spot, 'bytes' | 'type' | 'at'>;

/** Types without members. */
const PLAIN: ReadonlySet<number> = new Set([
  TYPE.double,
  TYPE.string,
  TYPE.undefined,
  TYPE.boolean,
  TYPE.null,
  TYPE.int,
]);

/** Moves `place` to a member of its document; to the last one if the name occurs twice. */
function enter(place: Place, name: Buffer): void {
  const { bytes, at: start } = place;
  const end = start + int32(bytes, start) - 1;
  let at = start + 4;
  place.type = -1;
  while (at < end) {
    const type = bytes[at] as number;
    const from = at + 1;
    at = endOfName(bytes, from) + 1;
    if (at - from === name.length && isSame(bytes, from, name)) {
      place.type = type;
      place.at = at;
    }
    at = endOfValue(type, bytes, at);
  }
}

/**
 * Moves `place` along a path; type -1 if nothing is there. Returns false if the path leads through anything
 * but documents.
 */
function follow(place: Place, path: readonly Buffer[]): boolean {
  for (const name of path) {
    if (place.type === TYPE.document) enter(place, name);
    else if (place.type < 0 || PLAIN.has(place.type)) place.type = -1;
    else return false;
  }
  return true;
}

const storedAt = ({ type, bytes, at }: Place): unknown => (type < 0 ? undefined : valueAt(type, bytes, at));

type Write = Member['write'];

/** Writes the value at a path with `write`, or with `writeOther` if the path leads through lists. */
export function memberAt(
  name: string,
  stored: string,
  write: Write,
  writeOther: (...args: [...Parameters<Write>, value: unknown]) => void,
): Member {
  const [first = '', ...rest] = stored.split('.');
  if (rest.length === 0) return { name, stored: first, write };
  const path = rest.map(spell);
  return {
    name,
    stored: first,
    write(answer, spot) {
      const { type, at } = spot;
      if (follow(spot, path)) {
        write(answer, spot);
        return;
      }
      spot.type = type;
      spot.at = at;
      writeOther(answer, spot, walk(storedAt(spot), rest));
    },
  };
}

/** Reads the value at a path of a document, converted by `form`. */
export function readerAt(stored: string, form: Form): Read {
  const [first = '', ...rest] = stored.split('.');
  const name = spell(first);
  return (bytes, start) => {
    const place: Place = { bytes, type: TYPE.document, at: start };
    enter(place, name);
    return form(walk(storedAt(place), rest));
  };
}

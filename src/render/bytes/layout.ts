import { Buffer } from 'node:buffer';
import { endOfName, endOfValue, int32 } from '../../values/bson-bytes.js';

/** Type and value offset of each name, alternating; -1 if missing. */
type Slots = Int32Array;

/** Locates the named members of one kind of document. */
interface Layout {
  /** Fills `slots` for the document that begins at `start`. If a name occurs twice, the last one counts. */
  find(bytes: Buffer, start: number, slots: Slots): void;
  newSlots(): Slots;
}

const NEVER = -1;

/**
 * Documents of one kind mostly have their members in the same order, so after each member the name that
 * followed it last time is tried first.
 */
export function layoutOf(names: readonly string[]): Layout {
  const spelled = names.map((name) => Buffer.from(`${name}\0`));
  const numbers = new Map(names.map((name, number) => [name, number]));
  /** The name that followed each name, by index plus one; index 0 is the start of the document. */
  const following = new Int32Array(names.length + 1).fill(NEVER);

  /** Offset of the value if the member's name, at `at`, is the given one; otherwise NEVER. */
  const behindName = (number: number, bytes: Buffer, at: number): number => {
    const name = spelled[number];
    if (name === undefined) return NEVER;
    for (let i = 0; i < name.length; i++) if (bytes[at + i] !== name[i]) return NEVER;
    return at + name.length;
  };

  return {
    newSlots: () => new Int32Array(2 * names.length),
    find(bytes, start, slots) {
      slots.fill(NEVER);
      const end = start + int32(bytes, start) - 1;
      let at = start + 4;
      let before = 0;
      while (at < end) {
        const type = bytes[at] ?? 0;
        const name = at + 1;
        let number = following[before] ?? NEVER;
        at = number === NEVER ? NEVER : behindName(number, bytes, name);
        if (at === NEVER) {
          at = endOfName(bytes, name) + 1;
          number = numbers.get(bytes.toString('utf8', name, at - 1)) ?? NEVER;
          following[before] = number;
        }
        if (number !== NEVER) {
          slots[2 * number] = type;
          slots[2 * number + 1] = at;
          before = number + 1;
        }
        at = endOfValue(type, bytes, at);
      }
    },
  };
}

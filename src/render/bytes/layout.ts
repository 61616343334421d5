import { Buffer } from 'node:buffer';
import { endOfName, endOfValue, int32 } from '../../values/bson-bytes.js';

/** Where the members of a document stand: of each name its type and where its value begins, -1 where it is missing. */
type Slots = Int32Array;

/** The members of one kind of document that are asked for by name. */
export interface Layout {
  readonly names: readonly string[];
  /** Notes where they stand in the document that begins at `start`. Of a name that is there twice, the last counts. */
  find(bytes: Buffer, start: number, slots: Slots): void;
  newSlots(): Slots;
}

const NEVER = -1;

/** Documents of one kind have their members in one order, mostly: behind each, the one that followed it last is tried first. */
export function layoutOf(names: readonly string[]): Layout {
  const spelled = names.map((name) => Buffer.from(`${name}\0`));
  const numbers = new Map(names.map((name, number) => [name, number]));
  /** By the number before, one higher: the first stands for the beginning. */
  const following = new Int32Array(names.length + 1).fill(NEVER);

  /** Where the value begins of the member whose name begins at `at`; never, if it has another name. */
  const behindName = (number: number, bytes: Buffer, at: number): number => {
    const name = spelled[number];
    if (name === undefined) return NEVER;
    for (let i = 0; i < name.length; i++) if (bytes[at + i] !== name[i]) return NEVER;
    return at + name.length;
  };

  return {
    names,
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

/** Values at the stored paths of an adopted collection, found in the bytes of its documents. */
import { Buffer } from 'node:buffer';
import type { Form } from '../../pipeline/populate/shape.js';
import { decodeAt, eachMember, endOfName, endOfValue, int32, TYPE } from '../../values/bson-bytes.js';
import type { FieldCursor, Member } from './object.js';
import { isSame, type Read, spell } from './rows.js';

/** A value; type -1 if there is none. */
type Value = Readonly<Pick<FieldCursor, 'bytes' | 'type' | 'at'>>;

const nothingIn = (bytes: Buffer): Value => ({ bytes, type: -1, at: 0 });

/** A member of a document; the last one if the name occurs twice. */
function memberOf({ bytes, at: start }: Value, name: Buffer): Value {
  const end = start + int32(bytes, start) - 1;
  let found = nothingIn(bytes);
  let at = start + 4;
  while (at < end) {
    const type = bytes[at] as number;
    const from = at + 1;
    at = endOfName(bytes, from) + 1;
    if (at - from === name.length && isSame(bytes, from, name)) found = { bytes, type, at };
    at = endOfValue(type, bytes, at);
  }
  return found;
}

function membersOf({ bytes, at: start }: Value): readonly Value[] {
  const members: Value[] = [];
  eachMember(bytes, start, (type, at) => members.push({ bytes, type, at }));
  return members;
}

/** A list of these values, in bytes of its own. */
function listOf(values: readonly Value[]): Value {
  const members = values.flatMap(({ bytes, type, at }, index) => [
    Buffer.from([type]),
    spell(String(index)),
    bytes.subarray(at, endOfValue(type, bytes, at)),
  ]);
  const bytes = Buffer.concat([Buffer.alloc(4), ...members, Buffer.alloc(1)]);
  bytes.writeInt32LE(bytes.length);
  return { bytes, type: TYPE.array, at: 0 };
}

interface Name {
  readonly text: string;
  readonly spelled: Buffer;
}

const namesOf = (path: string): readonly Name[] =>
  path.split('.').map((text) => ({ text, spelled: spell(text) }));

/** The value at a path below another, as `valueAt` of values/path finds it in objects. */
function along(value: Value, [first, ...rest]: readonly Name[]): Value {
  if (first === undefined) return value;
  if (value.type === TYPE.document) return along(memberOf(value, first.spelled), rest);
  if (value.type !== TYPE.array) return nothingIn(value.bytes);
  const members = membersOf(value);
  if (/^\d+$/.test(first.text)) return along(members[Number(first.text)] ?? nothingIn(value.bytes), rest);
  const found = members
    .filter(({ type }) => type !== TYPE.array)
    .map((member) => along(member, [first, ...rest]))
    .filter(({ type }) => type >= 0);
  if (found.length === 0) return nothingIn(value.bytes);
  return listOf(found.flatMap((each) => (each.type === TYPE.array ? membersOf(each) : each)));
}

/** Writes the value at a path with `write`. */
export function memberAt(name: string, stored: string, write: Member['write']): Member {
  const [first, ...path] = namesOf(stored);
  const { text = '' } = first ?? {};
  if (path.length === 0) return { name, stored: text, write };
  return {
    name,
    stored: text,
    write: (answer, cursor) => write(answer, { ...cursor, ...along(cursor, path) }),
  };
}

/** Reads the value at a path of a document, converted by `form`. */
export function readerAt(stored: string, form: Form): Read {
  const path = namesOf(stored);
  return (bytes, start) => {
    const { type, at, ...found } = along({ bytes, type: TYPE.document, at: start }, path);
    return form(type < 0 ? undefined : decodeAt(type, found.bytes, at));
  };
}

/** Plain inclusions on stored bytes: members are copied as they stand, and nothing is decoded. */
import type { Document } from 'bson';
import { expressionScope } from '../expressions/compile-expression.js';
import { valueEnd } from '../values/decode.js';
import { ARRAY, DOCUMENT } from '../values/type-bytes.js';
import { isTruthy } from '../values/type-names.js';
import { isFlag, type Projection, parseProjection } from './parse-projection.js';
import type { Action } from './projection-tree.js';

/** Makes a document of those members of a stored one that a projection shows. Its bytes are valid until the next call of any. */
export type ProjectBytes = (bytes: Buffer) => Buffer;

/** What becomes of a member. */
type Kept = 'whole' | 'none' | Level;

/** The members of one level, and which of them came in which place of the last document: others have the same order, mostly. */
interface Level {
  readonly members: ReadonlyMap<string, Kept>;
  readonly order: Place[];
}

interface Place {
  /** As it stands in a document, with its zero byte. */
  readonly name: Buffer;
  readonly kept: Kept;
}

/** The same projections come again and again; more than so many are forgotten. */
const MAX_KNOWN = 500;
const known = new Map<string, ProjectBytes | undefined>();

/**
 * A projection that includes members by their paths; undefined for all others. Throws MongoDB's codes for one that cannot be.
 */
export function inclusionOf(spec: Document): ProjectBytes | undefined {
  const paths = Object.keys(spec);
  let key = '';
  for (const path of paths) {
    if (!isFlag(spec[path]) || path.includes('$')) return undefined;
    key += `${isTruthy(spec[path]) ? 1 : 0}${path}\0`;
  }
  if (known.has(key)) return known.get(key);
  const project = paths.length > 0 ? projector(parseProjection(spec, expressionScope({}))) : undefined;
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(key, project);
  return project;
}

/** Where documents are made that are not large. */
const SCRATCH = Buffer.allocUnsafeSlow(64 * 1024);

function projector({ node, mode }: Projection): ProjectBytes | undefined {
  const level = mode === 'include' ? levelOf(node) : undefined;
  if (level === undefined || typeof level === 'string') return undefined;
  return (bytes) => {
    const out = bytes.length > SCRATCH.length ? Buffer.allocUnsafeSlow(bytes.length) : SCRATCH;
    return out.subarray(0, writeDocument(level, { bytes, out }, 0, 0));
  };
}

function levelOf(action: Action): Kept | undefined {
  if (action.kind === 'include') return 'whole';
  if (action.kind === 'exclude') return 'none';
  if (action.kind !== 'node') return undefined;
  const members = new Map<string, Kept>();
  for (const [name, inner] of action.members) {
    const kept = levelOf(inner);
    if (kept === undefined) return undefined;
    members.set(name, kept);
  }
  return { members, order: [] };
}

interface Copying {
  readonly bytes: Buffer;
  readonly out: Buffer;
}

const isNamed = (bytes: Buffer, at: number, name: Buffer): boolean => {
  for (let i = 0; i < name.length; i++) if (bytes[at + i] !== name[i]) return false;
  return true;
};

function placeOf({ members }: Level, bytes: Buffer, at: number): Place {
  const name = bytes.subarray(at, bytes.indexOf(0, at) + 1);
  return { name: Buffer.from(name), kept: members.get(name.toString('utf8', 0, name.length - 1)) ?? 'none' };
}

/** Writes the document that begins at `start` from `to` on; tells where it ends. */
function writeDocument(level: Level, copying: Copying, start: number, to: number): number {
  const { bytes, out } = copying;
  const { order } = level;
  const end = start + bytes.readInt32LE(start) - 1;
  let at = to + 4;
  let next = start + 4;
  let number = 0;
  /** Where members begin that are copied in one go. */
  let from = next;
  while (next < end) {
    const member = next;
    let place = order[number];
    if (place === undefined || !isNamed(bytes, member + 1, place.name)) {
      place = placeOf(level, bytes, member + 1);
      order[number] = place;
    }
    number += 1;
    const { kept, name } = place;
    const value = member + 1 + name.length;
    const type = bytes[member] ?? 0;
    next = valueEnd(bytes, type, value);
    if (kept === 'whole') continue;
    at += bytes.copy(out, at, from, member);
    from = next;
    if (kept === 'none' || (type !== DOCUMENT && type !== ARRAY)) continue;
    at += bytes.copy(out, at, member, value);
    at = (type === DOCUMENT ? writeDocument : writeArray)(kept, copying, value, at);
  }
  at += bytes.copy(out, at, from, end);
  return ended(out, to, at);
}

/** The same of an array: its documents, and those of arrays within it. */
function writeArray(level: Level, copying: Copying, start: number, to: number): number {
  const { bytes, out } = copying;
  const end = start + bytes.readInt32LE(start) - 1;
  let at = to + 4;
  let next = start + 4;
  for (let number = 0; next < end; ) {
    const type = bytes[next] ?? 0;
    const value = bytes.indexOf(0, next + 1) + 1;
    next = valueEnd(bytes, type, value);
    if (type !== DOCUMENT && type !== ARRAY) continue;
    out[at++] = type;
    at += out.write(`${number++}\0`, at, 'latin1');
    at = (type === DOCUMENT ? writeDocument : writeArray)(level, copying, value, at);
  }
  return ended(out, to, at);
}

/** Ends what was begun at `from`; tells where it ends. */
function ended(out: Buffer, from: number, at: number): number {
  out[at] = 0;
  out.writeInt32LE(at + 1 - from, from);
  return at + 1;
}

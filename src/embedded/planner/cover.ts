import type { Document } from 'bson';
import type { CompiledIndex } from '../indexes/compile-index.js';
import { readKey } from '../indexes/key-values.js';
import { encodeDocument } from '../storage/encode.js';
import { isDocument } from '../values/index.js';
import { isWithin, setMember } from '../values/paths.js';

/** The number of the index's table, before the values of its keys. */
export const TABLE_BYTES = 4;

/** The paths that a filter reads; undefined if it could be any. */
function pathsOf(filter: Document): string[] | undefined {
  const out: string[] = [];
  for (const [key, condition] of Object.entries(filter)) {
    if (key === '$comment') continue;
    if (!key.startsWith('$')) {
      out.push(key);
      continue;
    }
    if (!Array.isArray(condition)) return undefined;
    for (const clause of condition) {
      const found = isDocument(clause) ? pathsOf(clause) : undefined;
      if (found === undefined) return undefined;
      out.push(...found);
    }
  }
  return out;
}

/** The parts of the documents that a query needs besides its order: paths, or a whole index key. */
interface Needs {
  readonly fields: readonly string[] | 'key';
  /** Undefined if it need not be tested. */
  readonly filter: Document | undefined;
  /** Undefined if nothing remains to be sorted. */
  readonly sort: Document | undefined;
}

/**
 * Whether the keys of an index contain the values of its documents (for arrays, those of the elements),
 * except for keys whose notes say otherwise.
 */
export const holdsValues = ({ meta, ordered, collation, hashedPath }: CompiledIndex): boolean =>
  ordered && meta.typed === true && meta.cut !== true && collation === undefined && hashedPath === undefined;

/**
 * Creates, from an index entry, the fields that a query needs of the document, as a document's bytes; undefined if the entry does
 * not contain them.
 */
export type Cover = (key: Buffer, notes: Buffer) => Buffer | undefined;

/** How an index answers a query without reading documents; undefined if it does not. */
export function coverOf(index: CompiledIndex, { fields, filter, sort }: Needs): Cover | undefined {
  if (!holdsValues(index)) return undefined;
  const tested = filter === undefined ? [] : pathsOf(filter);
  if (tested === undefined) return undefined;
  const { paths, directions } = index;
  const needed = new Set([...(fields === 'key' ? paths : fields), ...tested, ...Object.keys(sort ?? {})]);
  const places = [...needed].map((path) => paths.indexOf(path));
  if (places.includes(-1) || [...needed].some((path) => index.multikey.has(path))) return undefined;
  const last = Math.max(-1, ...places) + 1;
  const isOutermost = (place: number): boolean =>
    places.every((other) => other === place || !isWithin(paths[place] as string, paths[other] as string));
  const members = places
    .filter(isOutermost)
    .sort((a, b) => Number(paths[b] === '_id') - Number(paths[a] === '_id') || a - b)
    .map((place) => ({ place, parts: (paths[place] as string).split('.') }));
  return (key, notes) => {
    const found = readKey({ bytes: key, at: TABLE_BYTES, notes }, directions, last);
    if (found === undefined) return undefined;
    const out: Document = {};
    for (const { place, parts } of members) put(out, parts, found.values[place]);
    return encodeDocument(out);
  };
}

function put(out: Document, parts: readonly string[], value: unknown): void {
  if (value === undefined) return;
  let at = out;
  for (const name of parts.slice(0, -1)) {
    if (!Object.hasOwn(at, name)) setMember(at, name, {});
    at = at[name];
  }
  setMember(at, parts.at(-1) as string, value);
}

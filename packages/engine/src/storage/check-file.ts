import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';

/** Where lmdb's two meta pages contain the fields that are checked, in bytes from the start of the page. */
const PLACE = {
  magic: 24,
  version: 28,
  pageSize: 48,
  freeRoot: 88,
  mainRoot: 136,
  transaction: 152,
} as const;
const MAGIC = 0xbeefc0de;
const VERSION = 2;
const META_BYTES = 168;
const NO_PAGE = 0xffffffffffffffffn;

function readMeta(file: number, at: number): Buffer | undefined {
  const bytes = Buffer.alloc(META_BYTES);
  if (readSync(file, bytes, 0, META_BYTES, at) < META_BYTES) return undefined;
  const isMeta = bytes.readUInt32LE(PLACE.magic) === MAGIC && bytes.readUInt32LE(PLACE.version) === VERSION;
  return isMeta ? bytes : undefined;
}

function problemOf(file: number): string | undefined {
  const { size } = fstatSync(file);
  if (size === 0) return undefined;
  const first = readMeta(file, 0);
  if (first === undefined) return 'it does not begin as one';
  const pageSize = first.readUInt32LE(PLACE.pageSize);
  if (pageSize < 512 || pageSize > 65_536) return 'its page size is impossible';
  const second = readMeta(file, pageSize);
  if (second === undefined) return 'its second page is missing';
  const newer =
    first.readBigUInt64LE(PLACE.transaction) > second.readBigUInt64LE(PLACE.transaction) ? first : second;
  for (const root of [newer.readBigUInt64LE(PLACE.freeRoot), newer.readBigUInt64LE(PLACE.mainRoot)]) {
    if (root !== NO_PAGE && (root + 1n) * BigInt(pageSize) > BigInt(size)) return 'its end is missing';
  }
  return undefined;
}

/**
 * Checks an lmdb file before lmdb opens it, since lmdb maps it into memory and an invalid file would crash the process. Returns
 * what is wrong with it; undefined if the file is sound or absent. Throws Node's file errors.
 */
export function checkDataFile(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  const file = openSync(path, 'r+');
  try {
    return problemOf(file);
  } finally {
    closeSync(file);
  }
}

export interface ByteRange {
  /** Inclusive. */
  readonly start: number;
  readonly end: number;
}

/**
 * The bytes that a `Range` header requests. Null: all of them, also if several ranges are requested, which a
 * server may answer in full (RFC 9110, 14.2). `unsatisfiable`: none of them exist.
 */
export const parseRange = (header: string, size: number): ByteRange | 'unsatisfiable' | null => {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header.trim());
  if (!match || (match[1] === '' && match[2] === '')) return null;
  const [, first = '', last = ''] = match;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return null;
  return start >= size ? 'unsatisfiable' : { start, end };
};

/** Reused memory for responses: garbage outside the heap makes V8 collect the whole heap much more often. */

/** The size of a buffer, in bytes; most responses fit into one. */
const SIZE = 64 * 1024;
/** How many unused buffers are kept. */
const MOST_FREE = 32;

const free: Buffer[] = [];
const reusable = new WeakSet<ArrayBufferLike>();

/** Returns a buffer for a response; it belongs to the caller until `giveBack`. */
export function takeReplyBuffer(): Buffer {
  const known = free.pop();
  if (known !== undefined) return known;
  const made = Buffer.allocUnsafeSlow(SIZE);
  reusable.add(made.buffer);
  return made;
}

/**
 * Returns the memory of a response that has been sent; nothing may refer to it any more. Other buffers are
 * ignored.
 */
export function giveBack({ buffer }: Buffer): void {
  if (reusable.has(buffer) && free.length < MOST_FREE) free.push(Buffer.from(buffer));
}

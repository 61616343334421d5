/** Memory for responses, used again and again: garbage outside the heap makes V8 collect the whole heap much more often. */

/** The size of a buffer, in bytes; most responses fit into one. */
const SIZE = 64 * 1024;
/** The buffers that are kept while nobody uses them. */
const MOST_FREE = 32;

const free: Buffer[] = [];
const reusable = new WeakSet<ArrayBufferLike>();

/** A buffer for a response, for the caller alone until it is given back. */
export function takeReplyBuffer(): Buffer {
  const known = free.pop();
  if (known !== undefined) return known;
  const made = Buffer.allocUnsafeSlow(SIZE);
  reusable.add(made.buffer);
  return made;
}

/** Gives back the memory of a response that has been sent; nothing may refer to it any more. Other memory is left alone. */
export function giveBack({ buffer }: Buffer): void {
  if (reusable.has(buffer) && free.length < MOST_FREE) free.push(Buffer.from(buffer));
}

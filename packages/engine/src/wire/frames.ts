/** The maximum message size, as announced by hello: 48 MB. */
export const MAX_MESSAGE_BYTES = 48_000_000;

const HEADER = 16;

/** Splits a stream of bytes into messages by their length prefix. */
export class Frames {
  private chunks: Buffer[] = [];
  private length = 0;

  /** Adds received bytes and returns the messages that are complete. Throws RangeError for an impossible length. */
  push(chunk: Buffer): Buffer[] {
    this.chunks.push(chunk);
    this.length += chunk.length;
    const out: Buffer[] = [];
    while (this.length >= 4) {
      const size = this.peekSize();
      if (size < HEADER || size > MAX_MESSAGE_BYTES) throw new RangeError(`a message of ${size} bytes`);
      if (this.length < size) break;
      out.push(this.take(size));
    }
    return out;
  }

  private peekSize(): number {
    const first = this.chunks[0] as Buffer;
    if (first.length >= 4) return first.readInt32LE(0);
    this.chunks = [Buffer.concat(this.chunks)];
    return (this.chunks[0] as Buffer).readInt32LE(0);
  }

  private take(size: number): Buffer {
    const first = this.chunks[0] as Buffer;
    const whole = first.length >= size ? first : Buffer.concat(this.chunks);
    const rest =
      first.length >= size ? [first.subarray(size), ...this.chunks.slice(1)] : [whole.subarray(size)];
    this.chunks = rest.filter((chunk) => chunk.length > 0);
    this.length -= size;
    return whole.subarray(0, size);
  }
}

import { deserialize } from 'bson';
import type { ForeignDocument } from '../../store/transfer/foreign.js';
import { ImportError } from '../error.js';

const MAX_BYTES = 64 * 1024 * 1024;
const TERMINATOR = -1;

/** Reads BSON documents and 32-bit numbers off a stream of bytes, one after the other. */
export class BsonStream {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Buffer>) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** The next document; null at the end of the stream, or behind a terminator of a dump's archive. */
  async next(): Promise<ForeignDocument | null> {
    if (!(await this.#fill(4))) return null;
    const size = this.#rest.readInt32LE(0);
    if (size === TERMINATOR) {
      this.#rest = this.#rest.subarray(4);
      return null;
    }
    if (size < 5 || size > MAX_BYTES) throw new ImportError('a file of the dump is damaged');
    if (!(await this.#fill(size))) throw new ImportError('a file of the dump ends within a document');
    const bytes = this.#rest.subarray(0, size);
    this.#rest = this.#rest.subarray(size);
    return deserialize(bytes, { promoteValues: false });
  }

  /** The next four bytes; null at the end. */
  async number(): Promise<number | null> {
    if (!(await this.#fill(4))) return null;
    const number = this.#rest.readUInt32LE(0);
    this.#rest = this.#rest.subarray(4);
    return number;
  }

  /** Whether the stream goes on. */
  more(): Promise<boolean> {
    return this.#fill(1);
  }

  async #fill(size: number): Promise<boolean> {
    const chunks = [this.#rest];
    let length = this.#rest.length;
    while (length < size) {
      const { done, value } = await this.#chunks.next();
      if (done) break;
      chunks.push(value);
      length += value.length;
    }
    if (chunks.length > 1) this.#rest = Buffer.concat(chunks);
    if (length > 0 && length < size && length < 4)
      throw new ImportError('a file of the dump ends within a document');
    return length >= size;
  }
}

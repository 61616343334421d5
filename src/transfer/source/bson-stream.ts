import { type DeserializeOptions, type Document, deserialize } from 'bson';
import { ImportError } from './error.js';

const MAX_BYTES = 64 * 1024 * 1024;
const TERMINATOR = -1;

/** Reads BSON documents and 32-bit numbers from a stream of bytes. */
export class BsonStream {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  /** @param source as errors call it */
  constructor(
    stream: AsyncIterable<Buffer>,
    private readonly source: string,
    private readonly options: DeserializeOptions,
  ) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /**
   * The next document; null at the end of the stream, or at a terminator in an archive of mongodump.
   * @throws ImportError if it is damaged, or larger than 64 MB
   */
  async next(): Promise<Document | null> {
    if (!(await this.#fill(4))) return null;
    const size = this.#rest.readInt32LE(0);
    if (size === TERMINATOR) {
      this.#rest = this.#rest.subarray(4);
      return null;
    }
    if (size < 5 || size > MAX_BYTES) throw this.#damaged();
    if (!(await this.#fill(size))) throw this.#truncated();
    const bytes = this.#rest.subarray(0, size);
    this.#rest = this.#rest.subarray(size);
    try {
      return deserialize(bytes, this.options);
    } catch {
      throw this.#damaged();
    }
  }

  /** The next four bytes as a number; null at the end. */
  async number(): Promise<number | null> {
    if (!(await this.#fill(4))) return null;
    const number = this.#rest.readUInt32LE(0);
    this.#rest = this.#rest.subarray(4);
    return number;
  }

  /** Whether there is more. */
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
    if (length > 0 && length < size && length < 4) throw this.#truncated();
    return length >= size;
  }

  #damaged = (): ImportError => new ImportError(`${this.source} is damaged`);
  #truncated = (): ImportError => new ImportError(`${this.source} is truncated`);
}

import { copyInto } from '../storage/codec.js';
import { encodeDocument } from '../storage/encode.js';
import { giveBack, takeReplyBuffer } from '../wire/reply-buffers.js';

/** Where the cursor's document begins. */
const CURSOR = 4 + '\x03cursor\0'.length;

/** The response `{cursor: {<field>: [rows], …rest}, …tail}` as BSON, to which rows are added one by one. */
export class BatchReply {
  #out = takeReplyBuffer();
  #at: number;
  readonly #rowsAt: number;
  /** How many rows it has, and their bytes. */
  length = 0;
  bytes = 0;

  constructor(field: string) {
    this.#out.write('\x03cursor\0', 4, 'latin1');
    this.#rowsAt = CURSOR + 4 + this.#out.write(`\x04${field}\0`, CURSOR + 4, 'latin1');
    this.#at = this.#rowsAt + 4;
  }

  /** Copies a row to the end of the list. */
  add(row: Buffer): void {
    const { length } = row;
    const name = `\x03${this.length}\0`;
    this.#ensure(name.length + length);
    this.#at += this.#out.write(name, this.#at, 'latin1');
    copyInto(this.#out, this.#at, row);
    this.#at += length;
    this.length += 1;
    this.bytes += length;
  }

  /** The whole response, to which nothing can be added. */
  end(rest: object, tail: object): Buffer {
    const restBytes = encodeDocument(rest);
    const tailBytes = encodeDocument(tail);
    this.#ensure(1 + restBytes.length + tailBytes.length);
    const out = this.#out;
    out[this.#at++] = 0;
    out.writeInt32LE(this.#at - this.#rowsAt, this.#rowsAt);
    this.#at += restBytes.copy(out, this.#at, 4);
    out.writeInt32LE(this.#at - CURSOR, CURSOR);
    this.#at += tailBytes.copy(out, this.#at, 4);
    out.writeInt32LE(this.#at, 0);
    return out.subarray(0, this.#at);
  }

  #ensure(bytes: number): void {
    if (this.#at + bytes <= this.#out.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#out.length * 2, this.#at + bytes));
    this.#out.copy(larger, 0, 0, this.#at);
    giveBack(this.#out);
    this.#out = larger;
  }
}

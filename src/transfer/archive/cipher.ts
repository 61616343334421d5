import { type BinaryLike, createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';
import { ImportError } from '../source/error.js';

/** Strapi writes and reads `aes-128-ecb`; `aes-256-gcm` also detects any change. */
export const CIPHERS = ['aes-256-gcm', 'aes-128-ecb'] as const;
export type Cipher = (typeof CIPHERS)[number];

const MAGIC = Buffer.from('MANGROVE-GCM-1\n');
const SALT_BYTES = 16;
const TAG_BYTES = 16;
const CHUNK = 64 * 1024;
/** The highest bit of a chunk's length marks the last chunk. */
const LAST = 0x8000_0000;

const derive = (key: BinaryLike, salt: BinaryLike, bytes: number): Promise<Buffer> =>
  new Promise((resolve, reject) =>
    scrypt(key, salt, bytes, (error, derived) => (error ? reject(error) : resolve(derived))),
  );

/** Whether a file with these first bytes is an archive encrypted with AES-256-GCM. */
export const isSealed = (head: Buffer): boolean => head.subarray(0, MAGIC.length).equals(MAGIC);

const nonceOf = (counter: number): Buffer => {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64BE(BigInt(counter), 4);
  return nonce;
};

/**
 * Authenticated encryption of a stream: a header (magic, salt), then chunks of at most 64 KiB, each with its
 * length and its tag. The nonce is the number of the chunk, and the length is authenticated, so no chunk can
 * be changed, dropped, moved or truncated.
 */
class Seal extends Transform {
  readonly #key: Buffer;
  #pending = Buffer.alloc(0);
  #counter = 0;

  constructor(key: Buffer, salt: Buffer) {
    super();
    this.#key = key;
    this.push(Buffer.concat([MAGIC, salt]));
  }

  override _transform(data: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.#pending = Buffer.concat([this.#pending, data]);
    while (this.#pending.length > CHUNK) {
      this.#seal(this.#pending.subarray(0, CHUNK), 0);
      this.#pending = this.#pending.subarray(CHUNK);
    }
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#seal(this.#pending, LAST);
    done();
  }

  #seal(chunk: Buffer, flag: number): void {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(chunk.length + flag);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonceOf(this.#counter++));
    cipher.setAAD(length);
    this.push(Buffer.concat([length, cipher.update(chunk), cipher.final(), cipher.getAuthTag()]));
  }
}

class Unseal extends Transform {
  readonly #text: string;
  #key: Buffer | null = null;
  #pending = Buffer.alloc(0);
  #counter = 0;
  #ended = false;

  constructor(key: string) {
    super();
    this.#text = key;
  }

  override _transform(data: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.#pending = Buffer.concat([this.#pending, data]);
    this.#open().then(() => done(), done);
  }

  override _flush(done: TransformCallback): void {
    done(this.#ended ? null : new ImportError('The archive is truncated'));
  }

  async #open(): Promise<void> {
    if (this.#key === null) {
      const header = MAGIC.length + SALT_BYTES;
      if (this.#pending.length < header) return;
      this.#key = await derive(this.#text, this.#pending.subarray(MAGIC.length, header), 32);
      this.#pending = this.#pending.subarray(header);
    }
    while (this.#pending.length >= 4) {
      const word = this.#pending.readUInt32BE();
      const length = word % LAST;
      const end = 4 + length + TAG_BYTES;
      if (length > CHUNK || this.#ended) throw wrongKey();
      if (this.#pending.length < end) return;
      this.push(this.#openChunk(this.#key, length));
      this.#pending = this.#pending.subarray(end);
      this.#ended = word >= LAST;
    }
  }

  #openChunk(key: Buffer, length: number): Buffer {
    const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(this.#counter++));
    decipher.setAAD(this.#pending.subarray(0, 4));
    decipher.setAuthTag(this.#pending.subarray(4 + length, 4 + length + TAG_BYTES));
    try {
      return Buffer.concat([decipher.update(this.#pending.subarray(4, 4 + length)), decipher.final()]);
    } catch {
      throw wrongKey();
    }
  }
}

export const wrongKey = (): ImportError => new ImportError('The key is wrong, or the archive is damaged');

/** A transform that encrypts. */
export const encipher = async (cipher: Cipher, key: string): Promise<Transform> => {
  if (cipher === 'aes-128-ecb') return createCipheriv(cipher, await derive(key, '', 16), null);
  const salt = randomBytes(SALT_BYTES);
  return new Seal(await derive(key, salt, 32), salt);
};

/** A transform that decrypts; fails with an `ImportError` if the key is wrong. */
export const decipher = async (cipher: Cipher, key: string): Promise<Transform> =>
  cipher === 'aes-128-ecb' ? createDecipheriv(cipher, await derive(key, '', 16), null) : new Unseal(key);

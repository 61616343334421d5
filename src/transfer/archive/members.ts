import { createReadStream, type Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { fileHead } from '../../values/file-head.js';
import { reasonOf } from '../../values/reason-of.js';
import { ImportError } from '../source/error.js';
import { type Cipher, decipher, isSealed, wrongKey } from './cipher.js';
import { withEnd } from './tar-end.js';

/** One file of an archive. Whatever has not been read when the next member is requested is skipped. */
export interface ArchiveMember {
  /** For example `entities/entities_00001.jsonl`. */
  readonly path: string;
  readonly bytes: Readable;
}

/**
 * The encryption and compression of an archive, detected from its first bytes, since file names may be wrong.
 */
interface Layers {
  readonly cipher: Cipher | null;
  readonly gzip: boolean;
}

export interface OpenArchive {
  readonly path: string;
  readonly folder: boolean;
  readonly layers: Layers;
  readonly key: string | null;
  /** Size in bytes; 0 for a folder. */
  readonly size: number;
}

/** Number of bytes needed to recognize the format. */
const HEAD = 512;

const isGzip = (head: Buffer): boolean => head[0] === 0x1f && head[1] === 0x8b;
const isTar = (head: Buffer): boolean => head.subarray(257, 262).toString('latin1') === 'ustar';

/**
 * Determines what is at `path`. Throws an `ImportError` if it is not an archive, or if the key is missing or
 * wrong.
 */
export async function openArchive(path: string, key: string | null): Promise<OpenArchive> {
  const stats = await stat(path).catch(() => null);
  if (!stats) throw new ImportError(`There is nothing at ${path}`);
  if (stats.isDirectory())
    return { path, folder: true, layers: { cipher: null, gzip: false }, key: null, size: 0 };
  const head = await fileHead(path, HEAD);
  const plain = { path, folder: false, size: stats.size };
  if (isGzip(head) || isTar(head))
    return { ...plain, layers: { cipher: null, gzip: isGzip(head) }, key: null };
  const cipher = isSealed(head) ? 'aes-256-gcm' : 'aes-128-ecb';
  if (cipher === 'aes-128-ecb' && stats.size % 16 !== 0)
    throw new ImportError(`${path} is not an archive of Strapi or Mangrove`);
  if (key === null)
    throw new ImportError(`${path} is encrypted, or is not an archive: give its key with --key`);
  const opened = await firstDeciphered(path, cipher, key);
  if (!isGzip(opened) && !isTar(opened)) throw wrongKey();
  return { ...plain, layers: { cipher, gzip: isGzip(opened) }, key };
}

async function firstDeciphered(path: string, cipher: Cipher, key: string): Promise<Buffer> {
  const bytes = createReadStream(path);
  const opened = bytes.pipe(await decipher(cipher, key));
  bytes.on('error', (error) => opened.destroy(error));
  try {
    let head = Buffer.alloc(0);
    for await (const part of opened) {
      head = Buffer.concat([head, part]);
      if (head.length >= HEAD) break;
    }
    return head;
  } catch {
    throw wrongKey();
  } finally {
    opened.destroy();
    bytes.destroy();
  }
}

/** The members of an archive in order; `onProgress` is called with the number of bytes of the file read so far. */
export async function* members(
  archive: OpenArchive,
  onProgress: (bytes: number) => void = () => undefined,
): AsyncGenerator<ArchiveMember> {
  if (archive.folder) {
    yield* filesBelow(archive.path);
    return;
  }
  const untar = extract();
  let read = 0;
  const count = new Transform({
    transform(data: Buffer, _, done) {
      read += data.length;
      onProgress(read);
      done(null, data);
    },
  });
  const steps = [
    createReadStream(archive.path, { highWaterMark: 256 * 1024 }),
    count,
    ...(archive.layers.cipher ? [await decipher(archive.layers.cipher, archive.key ?? '')] : []),
    ...(archive.layers.gzip ? [createGunzip()] : []),
    withEnd(),
    untar,
  ];
  const failed = { error: null as unknown };
  const flow = pipeline(steps).catch((error: unknown) => {
    failed.error = error;
    // Also fails the member that is being read.
    const cause = readable(error);
    untar.destroy(cause instanceof Error ? cause : new Error(String(cause)));
  });
  let done = false;
  try {
    for await (const entry of untar) {
      const { type, name } = entry.header;
      if (type === 'symlink' || type === 'link') throw linkIn(name);
      if (type === 'file') yield { path: name.replace(/^\.\//, ''), bytes: entry as unknown as Readable };
      if (!entry.destroyed) entry.resume();
    }
    done = true;
  } catch (error) {
    throw readable(failed.error ?? error);
  } finally {
    if (!done) untar.destroy();
    await flow;
  }
  if (failed.error !== null) throw readable(failed.error);
}

/** Passed over, what it leads to would be missing without a word; followed, it may lead out of the archive. */
const linkIn = (path: string): ImportError =>
  new ImportError(`The archive has ${path} as a link: pack it again with the file itself`);

/** Translates errors of decryption and decompression to errors about the archive. */
export const readable = (error: unknown): unknown => {
  const text = reasonOf(error);
  if (/bad decrypt|wrong final block/i.test(text)) return wrongKey();
  if (/unexpected end|invalid|incorrect|header/i.test(text) && !(error instanceof ImportError))
    return new ImportError(`The archive is damaged (${text})`);
  return error;
};

/** Sorted by path, so that metadata comes before the files it describes, and numbered files are in order. */
async function* filesBelow(folder: string, base = folder): AsyncGenerator<ArchiveMember> {
  const entries = await readdir(folder, { withFileTypes: true });
  const byName = (a: Dirent, b: Dirent): number => (a.name < b.name ? -1 : 1);
  for (const entry of entries.sort(byName)) {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) throw linkIn(relative(base, path));
    if (entry.isDirectory()) yield* filesBelow(path, base);
    else if (entry.isFile()) {
      const bytes = createReadStream(path);
      yield { path: relative(base, path).split(sep).join('/'), bytes };
      bytes.destroy();
    }
  }
}

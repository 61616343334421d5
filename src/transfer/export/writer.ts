import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Pack, pack } from 'tar-stream';
import { type Cipher, encipher } from '../archive/cipher.js';
import { workingFolder } from '../source/working-folder.js';

/** Size in bytes at which a part of an archive continues in the next file, as in Strapi. */
const PART_BYTES = 256 * 1024 * 1024;

/** The lines of one stage: `entities/entities_00001.jsonl` and so on. */
interface Lines {
  write(line: object): Promise<void>;
  end(): Promise<void>;
}

export interface ArchiveWriter {
  lines(stage: string): Lines;
  file(path: string, size: number, bytes: Readable): Promise<void>;
  /** Completes the archive; only then does it appear under its name. */
  end(): Promise<void>;
  /** Removes what was written. */
  abandon(): Promise<void>;
}

export interface WriterOptions {
  /** The path of the file, or of the folder of an unpacked archive. */
  readonly path: string;
  readonly folder: boolean;
  readonly gzip: boolean;
  readonly cipher: { readonly name: Cipher; readonly key: string } | null;
  readonly scratch: string;
}

type Put = (path: string, size: number, bytes: Readable) => Promise<void>;

export async function openArchiveWriter(options: WriterOptions): Promise<ArchiveWriter> {
  const scratch = await workingFolder(options.scratch, 'export');
  const { put, close, undo } = options.folder ? await intoFolder(options.path) : await intoTar(options);
  return {
    lines: (stage) => stagedLines(stage, scratch, put),
    file: put,
    async end() {
      await close();
      await rm(scratch, { recursive: true, force: true });
    },
    async abandon() {
      await undo();
      await rm(scratch, { recursive: true, force: true });
    },
  };
}

interface Destination {
  readonly put: Put;
  close(): Promise<void>;
  undo(): Promise<void>;
}

async function intoFolder(path: string): Promise<Destination> {
  const folder = `${path}.partial`;
  // Of an export that was killed.
  await rm(folder, { recursive: true, force: true });
  return {
    async put(path, _size, bytes) {
      const file = join(folder, path);
      await mkdir(dirname(file), { recursive: true });
      await pipeline(bytes, createWriteStream(file));
    },
    close: () => rename(folder, path),
    undo: () => rm(folder, { recursive: true, force: true }),
  };
}

async function intoTar({ path, gzip, cipher }: WriterOptions): Promise<Destination> {
  await mkdir(dirname(path), { recursive: true });
  const partial = `${path}.partial`;
  const tar = pack();
  const steps = [
    tar as unknown as Readable,
    ...(gzip ? [createGzip()] : []),
    ...(cipher ? [await encipher(cipher.name, cipher.key)] : []),
    createWriteStream(partial),
  ];
  const flow = pipeline(steps as unknown as [Readable, Writable]);
  // A failure is thrown when the next part is written.
  let failed: unknown = null;
  flow.catch((error: unknown) => {
    failed = error;
    tar.destroy();
  });
  return {
    async put(name, size, bytes) {
      if (failed) throw failed;
      await putInTar(tar, { name, size }, bytes);
    },
    async close() {
      tar.finalize();
      await flow;
      await rename(partial, path);
    },
    async undo() {
      tar.destroy();
      await flow.catch(() => undefined);
      await rm(partial, { force: true });
    },
  };
}

const putInTar = (tar: Pack, header: { name: string; size: number }, bytes: Readable): Promise<void> =>
  new Promise((resolve, reject) => {
    const entry = tar.entry(header, (error) => (error ? reject(error) : resolve())) as unknown as Writable;
    bytes.on('error', reject);
    // The archive cannot be written any further.
    entry.on('error', (error) => {
      bytes.destroy();
      reject(error);
    });
    bytes.pipe(entry);
  });

/** Characters of lines that are written at once. */
const BLOCK = 64 * 1024;

/** Writes lines to a temporary file first, since a tar contains the size of a part before its bytes. */
function stagedLines(stage: string, scratch: string, put: Put): Lines {
  let number = 0;
  let size = 0;
  let block = '';
  let file: FileHandle | null = null;
  const path = join(scratch, 'lines');
  const flush = async (): Promise<void> => {
    file ??= await open(path, 'w');
    const bytes = Buffer.from(block);
    block = '';
    size += bytes.length;
    await file.writeFile(bytes);
  };
  const release = async (): Promise<void> => {
    await file?.close();
    file = null;
  };
  const close = async (): Promise<void> => {
    if (file === null && block === '') return;
    await flush().finally(release);
    number += 1;
    await put(`${stage}/${stage}_${String(number).padStart(5, '0')}.jsonl`, size, createReadStream(path));
    size = 0;
  };
  return {
    async write(line) {
      block += `${JSON.stringify(line)}\n`;
      if (block.length >= BLOCK)
        await flush().catch(async (error: unknown) => {
          await release();
          throw error;
        });
      if (size >= PART_BYTES) await close();
    },
    end: close,
  };
}

/** Writes a small part from a string. */
export const putText = (writer: ArchiveWriter, path: string, text: string): Promise<void> => {
  const bytes = Buffer.from(text);
  return writer.file(path, bytes.length, Readable.from([bytes]));
};

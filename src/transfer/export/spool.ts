import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Document, deserialize, serialize } from 'bson';

/** Documents that are kept in a file, in their order. 64-bit integers stay `Long`. */
export interface Spool<T extends Document> {
  put(document: T): Promise<void>;
  /** All of them; nothing is put afterwards. */
  all(): AsyncGenerator<T>;
}

/** Spools of one run. */
export interface Spools {
  open<T extends Document>(): Spool<T>;
  remove(): Promise<void>;
}

/** Bytes that are written at once. */
const BLOCK = 1024 * 1024;

/** Spools in a folder of their own, inside `scratch`. */
export async function openSpools(scratch: string): Promise<Spools> {
  await mkdir(scratch, { recursive: true });
  const folder = await mkdtemp(join(scratch, 'spool-'));
  let number = 0;
  return {
    open<T extends Document>() {
      number += 1;
      return spoolIn<T>(join(folder, String(number)));
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function spoolIn<T extends Document>(path: string): Spool<T> {
  let block: Uint8Array[] = [];
  let size = 0;
  const flush = async (): Promise<void> => {
    const bytes = Buffer.concat(block);
    [block, size] = [[], 0];
    let file: FileHandle | null = null;
    try {
      file = await open(path, 'a');
      await file.writeFile(bytes);
    } finally {
      await file?.close();
    }
  };
  return {
    async put(document) {
      const bytes = serialize(document, { ignoreUndefined: false });
      block.push(bytes);
      size += bytes.length;
      if (size >= BLOCK) await flush();
    },
    async *all() {
      await flush();
      for await (const bytes of documentsIn(createReadStream(path, { highWaterMark: BLOCK })))
        yield deserialize(bytes, { promoteLongs: false }) as T;
      await rm(path);
    },
  };
}

/** Splits a stream into documents, each of which begins with its length. */
async function* documentsIn(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    parts.push(chunk);
    length += chunk.length;
    // Joined once a document is complete, not for each part of a large one.
    const [first] = parts;
    if (first && parts.length > 1 && first.length >= 4 && length < first.readInt32LE()) continue;
    let bytes = Buffer.concat(parts);
    while (bytes.length >= 4 && bytes.length >= bytes.readInt32LE()) {
      const end = bytes.readInt32LE();
      yield bytes.subarray(0, end);
      bytes = bytes.subarray(end);
    }
    parts = [bytes];
    length = bytes.length;
  }
}

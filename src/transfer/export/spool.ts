import { createReadStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Document, serialize } from 'bson';
import { BsonStream } from '../source/bson-stream.js';
import { workingFolder } from '../source/working-folder.js';

/** Documents that are kept in a file, in their order. 64-bit integers stay `Long`. */
export interface Spool<T extends Document> {
  /** @param document of at most 17 MB */
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
  const folder = await workingFolder(scratch, 'spool');
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
      const stream = createReadStream(path, { highWaterMark: BLOCK });
      const documents = new BsonStream(stream, 'a working file of the export', { promoteLongs: false });
      for (let one = await documents.next(); one !== null; one = await documents.next()) yield one as T;
      await rm(path);
    },
  };
}

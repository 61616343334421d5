import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { workingFolder } from '../source/working-folder.js';

/** A stream saved to a file, since an import reads its source several times. */
export interface Spooled {
  readonly path: string;
  /** Digest of all bytes in hex, to recognize the same source again. */
  readonly digest: string;
  remove(): Promise<void>;
}

/** Writes a stream to a file in `folder`, without holding it in memory. */
export async function spool(bytes: Readable, folder: string): Promise<Spooled> {
  const own = await workingFolder(folder, 'stdin');
  const path = join(own, 'archive');
  const remove = (): Promise<void> => rm(own, { recursive: true, force: true });
  const hash = createHash('sha256');
  const digesting = new Transform({
    transform(data: Buffer, _, done) {
      hash.update(data);
      done(null, data);
    },
  });
  try {
    await pipeline(bytes, digesting, createWriteStream(path));
  } catch (error) {
    await remove();
    throw error;
  }
  return { path, digest: hash.digest('hex'), remove };
}

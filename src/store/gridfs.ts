import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Db, GridFSBucket, type GridFSFile } from 'mongodb';

const BUCKET = 'mangrove.blobs';

export interface StoredBlob {
  /** Bytes. */
  readonly size: number;
  readonly modified: Date;
  /** Bytes `start` to `end`, both included; all of it where they are absent. */
  read(start?: number, end?: number): Readable;
}

/** Bytes by name. */
export interface Blobs {
  /** Keeps the local file at `path`, in place of what had the name. */
  save(name: string, path: string): Promise<void>;
  /** Nothing happens where there is none. */
  remove(name: string): Promise<void>;
  find(name: string): Promise<StoredBlob | null>;
}

/** In the database (GridFS): for deployments without a disk of their own. */
export const openBlobs = (db: Db): Blobs => {
  const bucket = new GridFSBucket(db, { bucketName: BUCKET });

  const versions = (name: string) =>
    bucket.find({ filename: name }).sort({ uploadDate: -1, _id: -1 }).toArray();

  const removeAll = async (files: readonly GridFSFile[]): Promise<void> => {
    for (const { _id } of files) await bucket.delete(_id);
  };

  return {
    async save(name, path) {
      const old = await versions(name);
      await pipeline(createReadStream(path), bucket.openUploadStream(name));
      await removeAll(old);
    },
    remove: async (name) => removeAll(await versions(name)),
    async find(name) {
      const [file] = await versions(name);
      if (!file) return null;
      return {
        size: file.length,
        modified: file.uploadDate,
        // GridFS counts the end as the first byte that is left out, and takes a start only with an end.
        read: (start = 0, end = file.length - 1) =>
          bucket.openDownloadStream(file._id, { start, end: end + 1 }),
      };
    },
  };
};

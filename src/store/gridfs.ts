import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Db, GridFSBucket, type GridFSFile } from 'mongodb';

const BUCKET = 'mangrove.blobs';

export interface StoredBlob {
  /** Bytes. */
  readonly size: number;
  readonly modified: Date;
  /** Streams the bytes from `start` to `end` inclusive; all of them if absent. */
  read(start?: number, end?: number): Readable;
}

/** Files by name. */
export interface Blobs {
  /** Stores the local file at `path`, replacing any earlier file of this name. */
  save(name: string, path: string): Promise<void>;
  /** Does nothing if there is no such file. */
  remove(name: string): Promise<void>;
  find(name: string): Promise<StoredBlob | null>;
}

/** Files in the database (GridFS), for deployments without a persistent disk. */
export const openBlobs = (db: Db): Blobs => {
  const bucket = new GridFSBucket(db, { bucketName: BUCKET });

  const versions = (name: string) =>
    bucket.find({ filename: name }).sort({ uploadDate: -1, _id: -1 }).toArray();

  // The bucket's own deletion fails if another process was faster.
  const removeAll = async (files: readonly GridFSFile[]): Promise<void> => {
    const ids = files.map(({ _id }) => _id);
    await db.collection(`${BUCKET}.files`).deleteMany({ _id: { $in: ids } });
    await db.collection(`${BUCKET}.chunks`).deleteMany({ files_id: { $in: ids } });
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
        // GridFS excludes `end`, and accepts a start only together with an end.
        read: (start = 0, end = file.length - 1) =>
          bucket.openDownloadStream(file._id, { start, end: end + 1 }),
      };
    },
  };
};

/** Media: the bytes and metadata of `plugin::upload.file`. */

import { join } from 'node:path';
import type { Config } from '../config/types.js';
import type { Documents } from '../documents/types.js';
import { errors } from '../errors.js';
import type { RecordEvent } from '../events/events.js';
import { FILE_UID } from '../schema/uids.js';
import type { Store } from '../store/client.js';
import { settingsOf } from '../store/connection/settings.js';
import { type Blobs, openBlobs } from '../store/gridfs.js';
import { takeLock } from '../store/leases/lock.js';
import { diskProvider } from './disk-provider.js';
import type { FileEntry, FileRows, Media, Provider } from './types.js';

/** File rows through the Document Service, so that its middlewares and events apply. */
const fileRows = (documents: Documents): FileRows => {
  const files = documents(FILE_UID);
  // The built-in type has these attributes, and the reader returns all of them.
  const asFile = (row: Record<string, unknown>): FileEntry => row as unknown as FileEntry;
  return {
    create: async (data) => asFile(await files.create({ data })),
    async update(documentId, data) {
      const row = await files.update({ documentId, data });
      if (row === null) throw errors.missing('upload-target-not-found', 'Entity not found');
      return asFile(row);
    },
    async remove(documentId) {
      return (await files.delete({ documentId })).entries.map(asFile);
    },
    async find(id) {
      const row = await files.findFirst({ filters: { id } });
      return row === null ? null : asFile(row);
    },
  };
};

/** Files in the database (GridFS), by key. */
export const gridfsProvider = (blobs: Blobs): Provider => ({ name: 'gridfs', ...blobs });

/** The same media, whose rows are written through `documents`. */
export const mediaThrough = (media: Media, documents: Documents): Media => ({
  ...media,
  rows: fileRows(documents),
});

/** Milliseconds without a sign of life after which a process that replaces a file is taken for dead. */
const LEASE = 2000;
const ATTEMPTS = 5;

const aloneIn =
  ({ db }: Store): Media['alone'] =>
  async (documentId, work) => {
    const place = { documents: settingsOf(db), _id: `file/${documentId}` };
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const lock = await takeLock(place, LEASE);
      if (lock) return work().finally(lock.release);
    }
    throw errors.busy();
  };

interface MediaOptions {
  readonly config: Pick<Config, 'server' | 'plugins'>;
  readonly store: Store;
  readonly documents: Documents;
  readonly record: RecordEvent;
}

const providers: Readonly<
  Record<'local' | 'gridfs', (options: Pick<MediaOptions, 'config' | 'store'>) => Provider>
> = {
  local: ({ config }) => diskProvider(join(config.server.publicDir, 'uploads')),
  gridfs: ({ store }) => gridfsProvider(openBlobs(store.db)),
};

/** The configured provider. */
export const providerOf = (options: Pick<MediaOptions, 'config' | 'store'>): Provider =>
  providers[options.config.plugins.upload.provider](options);

/** Files as configured in `plugins.upload`. */
export const createMedia = (options: MediaOptions): Media => {
  const { upload } = options.config.plugins;
  const recorded = new Set<string>();
  return {
    provider: providerOf(options),
    rows: fileRows(options.documents),
    settings: upload,
    alone: aloneIn(options.store),
    // What is missing on this server is missing for every file, so it is reported once.
    record(event) {
      if (!recorded.has(event.name)) options.record(event);
      recorded.add(event.name);
    },
  };
};

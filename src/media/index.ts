/** Media: the bytes of `plugin::upload.file` and what is known of them (rules I). */

import { join } from 'node:path';
import type { Config } from '../config/types.js';
import type { Documents } from '../documents/types.js';
import type { RecordEvent } from '../events/events.js';
import type { Store } from '../store/client.js';
import { openBlobs } from '../store/gridfs.js';
import { diskProvider } from './disk-provider.js';
import { fileRows } from './file-rows.js';
import { gridfsProvider } from './gridfs-provider.js';
import type { Media, Provider } from './types.js';

export interface MediaOptions {
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

/** Where the configuration keeps the bytes of files. */
export const providerOf = (options: Pick<MediaOptions, 'config' | 'store'>): Provider =>
  providers[options.config.plugins.upload.provider](options);

/** Files as `plugins.upload` of the configuration sets them up. */
export const createMedia = (options: MediaOptions): Media => {
  const { upload } = options.config.plugins;
  const recorded = new Set<string>();
  return {
    provider: providerOf(options),
    rows: fileRows(options.documents),
    settings: upload,
    // What a server lacks, it lacks for every file.
    record(event) {
      if (!recorded.has(event.name)) options.record(event);
      recorded.add(event.name);
    },
  };
};

/** Rows of files in memory, and blobs in a folder that is removed afterwards. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errors } from '../../src/errors.js';
import { diskProvider } from '../../src/media/disk-provider.js';
import type { FileEntry, FileRows, Media, MediaSettings } from '../../src/media/types.js';

export const settings: MediaSettings = {
  sizeLimit: 100_000,
  maxPixels: 50_000_000,
  breakpoints: { large: 1000, medium: 750, small: 500 },
  security: { allowedTypes: [], deniedTypes: [] },
};

export const memoryRows = (): FileRows & { readonly all: Map<string, FileEntry> } => {
  const all = new Map<string, FileEntry>();
  return {
    all,
    async create(data) {
      const row = { ...data, id: all.size + 1, documentId: `doc${all.size + 1}` };
      all.set(row.documentId, row);
      return row;
    },
    async update(documentId, data) {
      const stored = all.get(documentId);
      if (!stored) throw errors.missing('upload-target-not-found', 'Entity not found');
      all.set(documentId, { ...stored, ...data });
      return { ...stored, ...data };
    },
    async remove(documentId) {
      const row = all.get(documentId);
      all.delete(documentId);
      return row ? [row] : [];
    },
    find: async (id) => [...all.values()].find((row) => row.id === id) ?? null,
  };
};

export interface TestMedia {
  readonly media: Media;
  readonly folder: string;
  readonly rows: ReturnType<typeof memoryRows>;
  close(): Promise<void>;
}

export const testMedia = async (changed: Partial<MediaSettings> = {}): Promise<TestMedia> => {
  const folder = await mkdtemp(join(tmpdir(), 'mangrove-test-'));
  const rows = memoryRows();
  const record = (): void => undefined;
  return {
    media: {
      provider: diskProvider(folder),
      rows,
      settings: { ...settings, ...changed },
      record,
      alone: (_, work) => work(),
    },
    folder,
    rows,
    close: () => rm(folder, { recursive: true, force: true }),
  };
};

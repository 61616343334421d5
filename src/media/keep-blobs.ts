import type { PreparedFile } from './prepare-file.js';
import type { ImageFormats, Provider } from './types.js';

/**
 * Saves a file and its formats, the file itself last so that an existing one is replaced only at the end. If
 * saving fails, what was saved before is removed, except `known` keys, which belong to a stored file.
 */
export const keepBlobs = async (
  provider: Provider,
  key: string,
  file: PreparedFile,
  known: ReadonlySet<string> = new Set(),
): Promise<void> => {
  const blobs = [...file.formats, { key, path: file.path }];
  const saved: string[] = [];
  try {
    for (const blob of blobs) {
      await provider.save(blob.key, blob.path);
      saved.push(blob.key);
    }
  } catch (error) {
    await removeBlobs(
      provider,
      saved.filter((name) => !known.has(name)),
    );
    throw error;
  }
};

export const removeBlobs = async (provider: Provider, keys: readonly string[]): Promise<void> => {
  await Promise.all(keys.map((key) => provider.remove(key)));
};

/** The formats by name, as stored in the file's row; null if there are none. */
export const formatsOf = (file: PreparedFile, hash: string): ImageFormats | null =>
  file.formats.length === 0
    ? null
    : Object.fromEntries(file.formats.map(({ format }) => [format.hash.slice(0, -hash.length - 1), format]));

/** The keys of a stored file and its formats. */
export const keysOf = (row: {
  readonly hash: string;
  readonly ext: string | null;
  readonly formats: ImageFormats | null;
}): string[] => [
  `${row.hash}${row.ext ?? ''}`,
  ...Object.values(row.formats ?? {}).map(({ hash, ext }) => `${hash}${ext}`),
];

import type { PreparedFile } from './prepare-file.js';
import type { ImageFormats, Provider } from './types.js';

/**
 * Hands a file and its formats to the provider, the file itself last: until then what had its key is whole. What was saved before
 * one failed is removed again, except `known` keys, under which a stored file has bytes already.
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

/** The formats as the file's row shows them, by name; null where there are none. */
export const formatsOf = (file: PreparedFile, hash: string): ImageFormats | null =>
  file.formats.length === 0
    ? null
    : Object.fromEntries(file.formats.map(({ format }) => [format.hash.slice(0, -hash.length - 1), format]));

/** The keys of a stored file: its own and those of its formats. */
export const keysOf = (row: {
  readonly hash: string;
  readonly ext: string | null;
  readonly formats: ImageFormats | null;
}): string[] => [
  `${row.hash}${row.ext ?? ''}`,
  ...Object.values(row.formats ?? {}).map(({ hash, ext }) => `${hash}${ext}`),
];

import { cp, mkdir, readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Config } from '../config/types.js';
import { gridfsProvider } from '../media/index.js';
import type { Store } from '../store/client.js';
import { openBlobs } from '../store/gridfs.js';

/** Uploaded files on disk. */
export interface DiskUploads {
  readonly folder: string;
  readonly names: readonly string[];
  readonly bytes: number;
}

/** The uploads of `upload.provider: 'local'`; those in the database are copied with it. */
export async function uploadsOnDisk({ server }: Config): Promise<DiskUploads> {
  const folder = join(server.publicDir, 'uploads');
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((e) => e.isFile() && !e.name.startsWith('.')).map(({ name }) => name);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return { folder, names, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/** Copies the files into the other database (`gridfs`) or into another folder. */
export async function copyUploads({ folder, names }: DiskUploads, to: string, target: Store): Promise<void> {
  if (to === 'gridfs') {
    const provider = gridfsProvider(openBlobs(target.db));
    for (const name of names) await provider.save(name, join(folder, name));
    return;
  }
  await mkdir(resolve(to), { recursive: true });
  for (const name of names) await cp(join(folder, name), join(resolve(to), name));
}

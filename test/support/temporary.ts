import { existsSync } from 'node:fs';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const TMPFS = 0x0102_1994;
/** Bytes that have to be free: containers often have 64 MiB there. */
const ENOUGH = 2 ** 31;

const hasRoom = async (): Promise<boolean> => {
  if (!existsSync(MEMORY)) return false;
  const { type, bavail, bsize } = await statfs(MEMORY);
  return type === TMPFS && bavail * bsize >= ENOUGH;
};

let folder: string | undefined;

/** Temporary files of tests are kept in memory where there is room, so that no commit waits for a disk. TMPDIR chooses otherwise. */
export const mochaHooks = {
  async beforeAll(): Promise<void> {
    if (process.env['TMPDIR'] !== undefined || !(await hasRoom())) return;
    folder = await mkdtemp(join(MEMORY, 'mangrove-'));
    process.env['TMPDIR'] = folder;
  },
  async afterAll(): Promise<void> {
    if (folder === undefined) return;
    delete process.env['TMPDIR'];
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    folder = undefined;
  },
};

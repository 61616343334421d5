import { existsSync } from 'node:fs';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const TMPFS = 0x0102_1994;
/** Bytes that must be free: containers often have 64 MiB there. */
const ENOUGH = 2 ** 31;

const hasRoom = async (): Promise<boolean> => {
  if (!existsSync(MEMORY)) return false;
  const { type, bavail, bsize } = await statfs(MEMORY);
  return type === TMPFS && bavail * bsize >= ENOUGH;
};

const remove = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5 });

/** Names the folder of this run, which all of its processes share. */
const RUN = 'MANGROVE_TEST_RUN';

/** Where this run stores what one test file creates for the next; null if no run was set up. */
export const runFolder = (): string | null => process.env[RUN] ?? null;

/**
 * Tests keep temporary files in memory if there is enough of it, so that no commit waits for a disk. TMPDIR overrides
 * this.
 */
export async function mochaGlobalSetup(): Promise<void> {
  const inMemory = process.env['TMPDIR'] === undefined && (await hasRoom());
  process.env[RUN] = await mkdtemp(join(inMemory ? MEMORY : tmpdir(), 'mangrove-'));
}

export async function mochaGlobalTeardown(): Promise<void> {
  const run = runFolder();
  if (run !== null) await remove(run);
}

let outside = '';
let folder = '';

/** What a test file leaves in its folder is removed when it ends. */
export const mochaHooks = {
  async beforeAll(): Promise<void> {
    outside = tmpdir();
    folder = await mkdtemp(join(runFolder() ?? outside, 'mangrove-'));
    process.env['TMPDIR'] = folder;
  },
  async afterAll(): Promise<void> {
    process.env['TMPDIR'] = outside;
    await remove(folder);
  },
};

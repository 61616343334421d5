import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The maximum length of a unix socket path that every system accepts, in bytes. */
const LONGEST_PATH = 100;
const NAME = 'engine.sock';

const isShort = (folder: string): boolean => Buffer.byteLength(join(folder, NAME)) <= LONGEST_PATH;

/** Whether a folder is ours and not accessible to anyone else. */
function isPrivate(folder: string): boolean {
  try {
    const { mode, uid } = lstatSync(folder);
    return (mode & 0o170000) === 0o040000 && (mode & 0o077) === 0 && uid === process.getuid?.();
  } catch {
    return false;
  }
}

/** A private folder with a short path for a data folder: the same one at each start, if possible. */
function runtimeFolder(dataDir: string): string {
  const name = `mangrove-${createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 12)}`;
  const bases = [process.env['XDG_RUNTIME_DIR'], tmpdir(), '/tmp'];
  for (const base of bases) {
    if (base === undefined || !isShort(join(base, name))) continue;
    const folder = join(base, name);
    try {
      mkdirSync(folder, { mode: 0o700, recursive: false });
    } catch {
      // It may exist from the last time; whether it is ours is checked next.
    }
    if (isPrivate(folder)) return folder;
  }
  return mkdtempSync(join('/tmp', 'mangrove-'), 'utf8');
}

/**
 * Where an engine listens by default: a unix socket in a folder that only its owner can enter. That is the data folder if others
 * cannot access it and its path is short enough, otherwise one in the system's folder for such things.
 */
export function socketPathFor(dataDir: string): string {
  const folder = isShort(dataDir) && isPrivate(dataDir) ? dataDir : runtimeFolder(dataDir);
  return join(folder, NAME);
}

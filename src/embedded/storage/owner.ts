import { randomUUID } from 'node:crypto';
import { appendFileSync, chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { checkDataFile } from './check-file.js';
import { DataFolderError, reasonOf } from './data-folder.js';

/** Who holds a data folder. */
export interface Owner {
  readonly pid: number;
  /** When the process started, so that a reused process id is not taken for it. */
  readonly started: string;
  readonly instance: string;
  /** Where it serves; absent while it is still starting. */
  readonly uri?: string;
}

const KEY = 'owner';
const ROOM = 'room';
/** Bytes that the file is grown by at first: enough for every later commit to find free pages in it. */
const ROOM_BYTES = 64 * 1024;
const README = 'The data of a Mangrove engine. Do not edit.\n';

/** The start time of a process as the kernel tells it; an empty text where it does not, or no such process is. */
function startOfProcess(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

function isAlive(owner: Owner): boolean {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return startOfProcess(owner.pid) === owner.started;
}

/**
 * The folder's ownership, kept in a small lmdb environment of its own: lmdb's write lock makes taking it atomic
 * between processes and is freed by the kernel when a process dies, so nothing needs repair after a kill.
 */
export class Ownership {
  readonly instance = randomUUID();
  private readonly store: RootDatabase<Owner | string, string>;

  /** Throws `DataFolderError`. */
  constructor(private readonly dataDir: string) {
    this.store = this.guarded(() => {
      const readme = join(dataDir, 'README.txt');
      // Also says plainly what is wrong with a folder that cannot be written; a full disk takes no more of nothing.
      appendFileSync(readme, existsSync(readme) ? '' : README, { mode: 0o600 });
      const problem = checkDataFile(join(dataDir, 'owner', 'data.mdb'));
      if (problem !== undefined) throw new Error(`invalid: ${problem}`);
      const store = open<Owner | string, string>({
        path: join(dataDir, 'owner'),
        encoding: 'json',
        cache: false,
        overlappingSync: false,
      });
      // It holds the connection string, and with it perhaps a password.
      chmodSync(join(dataDir, 'owner', 'data.mdb'), 0o600);
      return store;
    });
  }

  /** Takes the folder unless a live process has it; returns that owner then. Throws `DataFolderError`. */
  take(): Owner | undefined {
    return this.guarded(() => {
      this.makeRoom();
      return this.store.transactionSync(() => {
        const owner = this.stored();
        if (owner !== undefined && owner.instance !== this.instance && isAlive(owner)) return owner;
        this.write();
        return undefined;
      });
    });
  }

  /** Tells others where this process serves. */
  announce(uri: string): void {
    this.store.transactionSync(() => this.write(uri));
  }

  /** Gives the folder back. */
  async release(): Promise<void> {
    this.store.transactionSync(() => {
      if (this.stored()?.instance === this.instance) this.store.removeSync(KEY);
    });
    await this.store.close();
  }

  /** Closes without giving anything back: another process has the folder. */
  async leave(): Promise<void> {
    await this.store.close();
  }

  private stored(): Owner | undefined {
    return this.store.get(KEY) as Owner | undefined;
  }

  /** A full disk must not keep an owner from what is stored: to read it, to move it away, to delete some. */
  private makeRoom(): void {
    if (this.store.get(ROOM) !== undefined) return;
    for (const text of ['x'.repeat(ROOM_BYTES), '']) {
      this.store.transactionSync(() => {
        this.store.putSync(ROOM, text);
      });
    }
  }

  private guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw new DataFolderError(this.dataDir, reasonOf(error), { cause: error });
    }
  }

  private write(uri?: string): void {
    const owner: Owner = { pid: process.pid, started: startOfProcess(process.pid), instance: this.instance };
    this.store.putSync(KEY, uri === undefined ? owner : { ...owner, uri });
  }
}

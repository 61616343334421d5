import { randomUUID } from 'node:crypto';
import { appendFileSync, chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { checkDataFile } from './check-file.js';
import { DataFolderError, reasonOf } from './data-folder.js';

/** The owner of a data folder. */
export interface Owner {
  readonly pid: number;
  /** When the process started, so that a process with a reused id is not mistaken for it. */
  readonly started: string;
  readonly instance: string;
  /** Its address; absent while it is still starting. */
  readonly uri?: string;
}

const KEY = 'owner';
const ROOM = 'room';
/** The number of bytes by which the file is grown at first: enough for every later commit to find free pages in it. */
const ROOM_BYTES = 64 * 1024;
const README = 'The data of a Mangrove engine. Do not edit.\n';

/** The start time of a process according to the kernel; an empty string if it is unknown, or there is no such process. */
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
 * The ownership of a folder, stored in a small separate lmdb environment: lmdb's write lock makes taking it atomic between
 * processes, and the kernel releases it when a process dies, so nothing needs repair after a kill.
 */
export class Ownership {
  readonly instance = randomUUID();
  private readonly store: RootDatabase<Owner | string, string>;

  /** Throws `DataFolderError`. */
  constructor(private readonly dataDir: string) {
    this.store = this.guarded(() => {
      const readme = join(dataDir, 'README.txt');
      // Also reports clearly that a folder cannot be written; even a full disk accepts an empty write.
      appendFileSync(readme, existsSync(readme) ? '' : README, { mode: 0o600 });
      const problem = checkDataFile(join(dataDir, 'owner', 'data.mdb'));
      if (problem !== undefined) throw new Error(`invalid: ${problem}`);
      const store = open<Owner | string, string>({
        path: join(dataDir, 'owner'),
        encoding: 'json',
        cache: false,
        overlappingSync: false,
      });
      // It contains the connection string, which may include a password.
      chmodSync(join(dataDir, 'owner', 'data.mdb'), 0o600);
      return store;
    });
  }

  /** Takes ownership of the folder unless a live process has it; in that case returns that owner. Throws `DataFolderError`. */
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

  /** Publishes the address of this process. */
  announce(uri: string): void {
    this.store.transactionSync(() => this.write(uri));
  }

  /** Releases the folder. */
  async release(): Promise<void> {
    this.store.transactionSync(() => {
      if (this.stored()?.instance === this.instance) this.store.removeSync(KEY);
    });
    await this.store.close();
  }

  /** Closes without releasing anything: another process owns the folder. */
  async leave(): Promise<void> {
    await this.store.close();
  }

  private stored(): Owner | undefined {
    return this.store.get(KEY) as Owner | undefined;
  }

  /** With a full disk, the owner must still be able to read, move and delete data. */
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

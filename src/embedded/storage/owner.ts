import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { checkDataFile } from './check-file.js';
import { DataFolderError, reasonOf } from './store.js';

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
  private readonly store: RootDatabase<Owner, string>;

  /** Throws `DataFolderError`. */
  constructor(dataDir: string) {
    try {
      // Also says plainly what is wrong with a folder that cannot be written.
      writeFileSync(join(dataDir, 'README.txt'), 'The data of a Mangrove engine. Do not edit.\n', {
        mode: 0o600,
      });
      const problem = checkDataFile(join(dataDir, 'owner', 'data.mdb'));
      if (problem !== undefined) throw new Error(`invalid: ${problem}`);
      this.store = open<Owner, string>({
        path: join(dataDir, 'owner'),
        encoding: 'json',
        cache: false,
        overlappingSync: false,
      });
    } catch (error) {
      throw new DataFolderError(dataDir, reasonOf(error), { cause: error });
    }
  }

  /** Takes the folder unless a live process has it; returns that owner then. */
  take(): Owner | undefined {
    return this.store.transactionSync(() => {
      const owner = this.store.get(KEY);
      if (owner !== undefined && owner.instance !== this.instance && isAlive(owner)) return owner;
      this.write();
      return undefined;
    });
  }

  /** Tells others where this process serves. */
  announce(uri: string): void {
    this.store.transactionSync(() => this.write(uri));
  }

  /** Gives the folder back. */
  async release(): Promise<void> {
    this.store.transactionSync(() => {
      if (this.store.get(KEY)?.instance === this.instance) this.store.removeSync(KEY);
    });
    await this.store.close();
  }

  /** Closes without giving anything back: another process has the folder. */
  async leave(): Promise<void> {
    await this.store.close();
  }

  private write(uri?: string): void {
    const owner: Owner = { pid: process.pid, started: startOfProcess(process.pid), instance: this.instance };
    this.store.putSync(KEY, uri === undefined ? owner : { ...owner, uri });
  }
}

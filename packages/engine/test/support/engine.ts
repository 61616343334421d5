import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Db, type Document, MongoClient, type MongoClientOptions } from 'mongodb';
import { type RunningEngine, startEngine } from '../../src/index.js';

/** A new folder in the system's temporary one. */
export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'mangrove-engine-'));

export const removeFolder = (path: string): void => rmSync(path, { recursive: true, force: true });

/** An engine, a client of it, and how to close both. */
export interface TestEngine {
  readonly uri: string;
  readonly client: MongoClient;
  readonly db: Db;
  close(): Promise<void>;
}

let lastDatabase = 0;

/** Starts an embedded engine in a folder of its own. `MONGODB_URI` is for tests of the product: these would overload another server. */
export async function openEngine(options: MongoClientOptions = {}): Promise<TestEngine> {
  const folder = temporaryFolder();
  const { uri, close }: RunningEngine = await startEngine({ dataDir: folder });
  const client = await MongoClient.connect(uri, options);
  lastDatabase += 1;
  return {
    uri,
    client,
    db: client.db(`engine_test_${process.pid}_${lastDatabase}`),
    close: async () => {
      await client.close();
      await close();
      removeFolder(folder);
    },
  };
}

/** The error of a failed command, as far as tests look at it. */
export type Failure = Error & { readonly code?: unknown };

/** The error that a promise rejects with; fails if it resolves. */
export async function failure(promise: Promise<unknown>): Promise<Failure> {
  try {
    await promise;
  } catch (error) {
    return error as Failure;
  }
  throw new Error('it should have failed');
}

/** Commands that MongoDB rejects, and its error codes. */
export type RejectedCommands = Readonly<Record<string, readonly [Document, number]>>;

/** Declares a test for each command, run on the database that `db` returns by then. */
export function itRejects(commands: RejectedCommands, db: () => Db): void {
  for (const [title, [command, code]] of Object.entries(commands)) {
    it(`rejects ${title}`, async () => {
      const error = await failure(db().command(command));
      expect(error.code, error.message).to.equal(code);
    });
  }
}

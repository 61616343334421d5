/**
 * A server whose crash can be provoked: a proxy in front of a database that, when it "crashes", cuts all connections and
 * takes back whatever no journal has covered, as a standalone MongoDB does that is killed and started again. A command
 * with `j: true` covers all commands before it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, type Document, MongoClient } from 'mongodb';
import { type Answer, bodyOf, commandOf, type Meddling, startProxy } from './wire-proxy.js';

const WRITES: ReadonlySet<string> = new Set(['insert', 'update', 'delete', 'findAndModify']);
/** Milliseconds after which a command whose client is gone no longer holds up others. */
const LONGEST = 3000;

/**
 * Before a command is executed, or after it but without an answer; `between`: the server is back when the command
 * arrives, so that its client notices nothing.
 */
export type Moment = 'before' | 'after' | 'between';

export interface VolatileServer {
  /** As a standalone server: without transactions and retried writes. */
  readonly uri: string;
  /**
   * Crashes once at the write command with this number, counted from now. With `stays`, it does not come back before
   * `restart`. With `lost`, it has written to disk by itself what came before so many commands, as a server does now and
   * then.
   */
  crashAt(command: number, when: Moment, more?: { readonly stays?: boolean; readonly lost?: number }): void;
  /** Takes `crashAt` back. Whether it has crashed; it is up again. */
  calm(): Promise<boolean>;
  readonly hasCrashed: boolean;
  restart(): void;
  close(): Promise<void>;
}

export async function startVolatileServer(uri: string, name: string): Promise<VolatileServer> {
  const client = new MongoClient(uri);
  const disk = newDisk(client.db(name));
  const oneByOne = newQueue();
  let left = Infinity;
  let when: Moment = 'before';
  let lost = Infinity;
  let staysDown = false;
  let hasCrashed = false;
  let crashes = 0;
  let isDown = false;
  let crashing: Promise<void> = Promise.resolve();
  let restart = (): void => undefined;

  const crash = (): Promise<void> => {
    crashing = goDown();
    return crashing;
  };
  const goDown = async (): Promise<void> => {
    hasCrashed = true;
    crashes += 1;
    isDown = true;
    const mayReturn = staysDown
      ? new Promise<void>((resolve) => {
          restart = resolve;
        })
      : null;
    proxy.cutAll();
    await disk.crash();
    await mayReturn;
    isDown = false;
  };

  const meddle = async (message: Buffer): Promise<Meddling> => {
    const command = commandOf(message) ?? '';
    if (isDown) return 'cut before';
    const began = crashes;
    if (command === 'hello') return asStandalone;
    const sent = WRITES.has(command) ? bodyOf(message) : {};
    if (sent['$db'] !== name) return 0;
    const end = await oneByOne();
    if (crashes !== began) {
      end();
      return 'cut before';
    }
    if (left === lost + 1) await disk.sync();
    await disk.beforeWrite(String(sent[command]));
    const isLast = --left === 0;
    if (isLast && when === 'between') {
      hasCrashed = true;
      await disk.crash();
      await disk.beforeWrite(String(sent[command]));
    }
    if (isLast && when === 'before') {
      void crash().finally(end);
      return 'cut before';
    }
    return (answer) => {
      if (isLast && when === 'after') void crash().finally(end);
      else void (isJournaled(sent) ? disk.sync() : Promise.resolve()).finally(end);
      return answer;
    };
  };

  await client.connect();
  const proxy = await startProxy(uri, meddle);
  return {
    uri: `${proxy.uri}&retryWrites=false&serverMonitoringMode=poll&heartbeatFrequencyMS=500`,
    crashAt(command, at, more = {}) {
      left = command;
      when = at;
      lost = more.lost ?? Infinity;
      staysDown = more.stays ?? false;
      hasCrashed = false;
    },
    async calm() {
      left = Infinity;
      await crashing;
      return hasCrashed;
    },
    get hasCrashed() {
      return hasCrashed;
    },
    restart: () => restart(),
    async close() {
      restart();
      await proxy.close();
      await client.close();
    },
  };
}

const isJournaled = ({ writeConcern }: Answer): boolean =>
  (writeConcern as Document | undefined)?.['j'] === true;

/** An answer to `hello` as that of a server without transactions. */
export const asStandalone = ({ setName, hosts, primary, me, setVersion, ...rest }: Answer): Answer => rest;

/** What a crash leaves of a database. */
function newDisk(db: Db) {
  /** The documents of each collection, as of the last sync. */
  const synced = new Map<string, readonly Document[]>();
  const written = new Set<string>();
  const read = async (collection: string): Promise<void> => {
    synced.set(collection, await db.collection(collection).find({}, { promoteValues: false }).toArray());
  };
  return {
    async beforeWrite(collection: string): Promise<void> {
      if (!written.has(collection)) await read(collection);
      written.add(collection);
    },
    async sync(): Promise<void> {
      await Promise.all([...written].map(read));
      written.clear();
    },
    async crash(): Promise<void> {
      for (const collection of written) {
        const documents = synced.get(collection) ?? [];
        await db.collection(collection).deleteMany({});
        if (documents.length > 0) await db.collection(collection).insertMany([...documents]);
      }
      written.clear();
    },
  };
}

/** Lets one command after the other through; each calls what it gets when it has ended. */
function newQueue(): () => Promise<() => void> {
  let last: Promise<unknown> = Promise.resolve();
  return async () => {
    const before = last;
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    last = before.then(() => Promise.race([ended, sleep(LONGEST, undefined, { ref: false })]));
    await before;
    return end;
  };
}

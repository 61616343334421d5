import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Config } from '../config/types.js';
import type { Project } from '../project.js';
import { addEvents, SCRIPT, typesReplaced } from '../store/outbox/outbox.js';
import { reasonOf } from '../values/reason-of.js';

/**
 * Closes the database of a server, runs `change` and reopens it; if that fails, the function that `change`
 * returned undoes it.
 */
export type Renew = (change: () => Promise<() => Promise<void>>) => Promise<void>;

/** Milliseconds between checks for a request. */
export const CHECK_EVERY = 300;
export const engineFolder = ({ database }: Config): string => join(database.dataDir, 'embedded');
export const uploadsOf = ({ server }: Config): string => join(server.publicDir, 'uploads');
export const secretsOf = ({ database }: Config): string => join(database.dataDir, 'secrets.json');

/** Exists from when a backup is put in place until the log of changes says so. */
const noteOf = ({ database }: Config): string => join(database.dataDir, 'restored');

/** Copies a file or folder if it exists. */
export const copyThere = async (from: string, to: string): Promise<boolean> => {
  if (!existsSync(from)) return false;
  await mkdir(dirname(to), { recursive: true });
  await cp(from, to, { recursive: true, errorOnExist: true, force: false });
  return true;
};

interface PutBack {
  /** The new names of the former files. */
  readonly kept: readonly string[];
  undo(): Promise<void>;
}

/**
 * Puts the parts of a backup in place; the former files are kept under other names. The database must be
 * closed.
 */
export async function putBack(config: Config, source: string): Promise<PutBack> {
  const aside = `before-${new Date().toISOString().replace(/\D/g, '').slice(0, 14)}`;
  const places = [
    ['embedded', engineFolder(config)],
    ['uploads', uploadsOf(config)],
    ['secrets.json', secretsOf(config)],
  ] as const;
  const done: { readonly to: string; readonly kept: string | null }[] = [];
  // Everything is copied before anything is moved.
  const incoming: { readonly to: string; readonly from: string }[] = [];
  for (const [name, to] of places) {
    const from = `${to}.incoming-${process.pid}`;
    if (await copyThere(join(source, name), from)) incoming.push({ to, from });
  }
  await writeFile(noteOf(config), '', { mode: 0o600 });
  for (const { to, from } of incoming) {
    const kept = existsSync(to) ? `${to}.${aside}` : null;
    if (kept) await rename(to, kept);
    await rename(from, to);
    done.push({ to, kept });
  }
  return {
    kept: done.flatMap(({ kept }) => kept ?? []),
    async undo() {
      await rm(noteOf(config), { force: true });
      for (const { to, kept } of done) {
        await rm(to, { recursive: true, force: true });
        if (kept) await rename(kept, to);
      }
    },
  };
}

/** Reports to readers of changes that a backup was restored since a server last started: any entry may be another. */
export async function reportRestored({
  config,
  schema,
  store,
}: Pick<Project, 'config' | 'schema' | 'store'>): Promise<void> {
  if (!existsSync(noteOf(config))) return;
  await addEvents(store.db, typesReplaced(schema.contentTypes.keys(), SCRIPT), null);
  await rm(noteOf(config), { force: true });
}

/** The files through which `mangrove restore` and a running server communicate. */
export const restoreFiles = ({ database }: Config) => {
  const file = (name: string): string => join(database.dataDir, `restore-${name}.json`);
  return { wanted: file('wanted'), taken: file('taken'), answer: file('answer') };
};

export interface RestoreResult {
  readonly kept?: readonly string[];
  readonly why?: string;
}

/**
 * Handles requests of `mangrove restore` while a server is running. The server that owns the engine restores
 * the backup; others on the same engine close their connections meanwhile, since their caches become invalid.
 */
export function watchForRestore(
  config: Config,
  sharesEngine: boolean,
  renew: Renew,
): { stop(): Promise<void> } {
  const { wanted, taken, answer } = restoreFiles(config);
  const isOwn = config.database.uri === null && config.database.engine === 'embedded';
  let stopped = !isOwn;
  let working: Promise<void> = Promise.resolve();

  const restore = async (): Promise<void> => {
    const { source }: { source: string } = JSON.parse(await readFile(wanted, 'utf8'));
    await rename(wanted, taken);
    // Time for the other servers on this engine to notice.
    await wait(2 * CHECK_EVERY);
    let kept: readonly string[] = [];
    const result: RestoreResult = await renew(async () => {
      const put = await putBack(config, source);
      kept = put.kept;
      return put.undo;
    }).then(
      () => ({ kept }),
      (error: unknown) => ({ why: reasonOf(error) }),
    );
    await rm(taken, { force: true });
    await writeFile(`${answer}.new`, JSON.stringify(result), { mode: 0o600 });
    await rename(`${answer}.new`, answer);
  };

  const follow = (): Promise<void> =>
    renew(async () => {
      while (existsSync(wanted) || existsSync(taken)) await wait(CHECK_EVERY);
      return async () => undefined;
    });

  const check = async (): Promise<void> => {
    if (sharesEngine) {
      if (existsSync(taken)) await follow();
    } else if (existsSync(wanted)) await restore();
  };

  const timer = setInterval(() => {
    working = working.then(() => (stopped ? undefined : check())).catch(() => undefined);
  }, CHECK_EVERY);
  timer.unref();
  if (stopped) clearInterval(timer);
  return {
    async stop() {
      stopped = true;
      clearInterval(timer);
      await working;
    },
  };
}

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningEngine, startEngine } from '@mangrove/engine';
import { openProject, type Project } from '../../src/project.js';
import { openStore, type Store } from '../../src/store/client.js';
import { mangrove } from '../support/run-command.js';
import { writeFiles } from '../support/write-files.js';

type Files = Readonly<Record<string, unknown>>;

/** A project in a folder whose schema files a test changes, on its own database. */
export interface ChangingProject {
  readonly root: string;
  readonly uri: string;
  readonly store: Store;
  /** Writes files, as JSON unless they are strings. */
  write(files: Files): Promise<void>;
  read(file: string): Promise<string>;
  open(): Promise<Project>;
  run(...args: readonly string[]): ReturnType<typeof mangrove>;
  close(): Promise<void>;
}

export const type = (name: string, attributes: object, more: object = {}): Files => ({
  [`content-types/${name}/schema.json`]: {
    kind: 'collectionType',
    collectionName: `${name}s`,
    info: { singularName: name, pluralName: `${name}s`, displayName: name },
    ...more,
    attributes,
  },
});

let made = 0;

export async function changingProject(files: Files): Promise<ChangingProject> {
  const root = await mkdtemp(join(tmpdir(), 'mangrove-migrate-'));
  const name = `migrate_${process.pid}_${++made}_${Date.now().toString(36)}`;
  const given = process.env['MONGODB_URI'] || null;
  // Kept open, so that commands need not start the engine each time.
  const engine: RunningEngine | null = given
    ? null
    : await startEngine({ dataDir: join(root, '.data', 'embedded') });
  const uri = given ?? engine?.uri ?? '';
  const store = await openStore({ uri, name });
  const write = async (written: Files): Promise<void> => {
    await writeFiles(root, written);
  };
  await write({
    'config/database.json': { uri, name },
    'config/plugins.json': { i18n: { config: { defaultLocale: 'en', locales: ['en', 'fr'] } } },
    ...files,
  });
  return {
    root,
    uri,
    store,
    write,
    read: (file) => readFile(join(root, file), 'utf8'),
    open: () => openProject({ root, env: {} }),
    run: (...args) => mangrove('--root', root, ...args),
    close: async () => {
      await store.db.dropDatabase();
      await store.close();
      await engine?.close();
      await rm(root, { recursive: true });
    },
  };
}

/** Opens a project for a few calls. */
export async function using<T>(project: ChangingProject, work: (opened: Project) => Promise<T>): Promise<T> {
  const opened = await project.open();
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

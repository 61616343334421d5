import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { ConfigError } from '../config/error.js';

/** The files and folders in a project that are always watched. */
const PLACES = new Set(['content-types', 'config', 'src', 'migrations', 'package.json']);
/**
 * Milliseconds without changes after which files are considered written, since an editor may write several.
 */
const QUIET = 60;
/**
 * Milliseconds after which a new folder is read once more. chokidar reads a folder before it watches it, so it misses what is
 * written in between.
 */
const AGAIN = 500;

const isWatched = (path: string): boolean => {
  const [first = '', ...rest] = path.split(sep);
  if (first === '') return true;
  if (path.endsWith('.d.ts') || rest.includes('node_modules')) return false;
  return PLACES.has(first) || first === '.env' || first.startsWith('.env.');
};

interface Watching {
  close(): Promise<void>;
}

/**
 * Calls `changed` with the changed files of a project, as relative paths, once there are no more changes.
 * @param more further files and folders, relative to the project
 */
export async function watchProject(
  root: string,
  more: readonly string[],
  changed: (files: readonly string[]) => void,
): Promise<Watching> {
  const { watch } = await import('chokidar').catch(() => {
    throw new ConfigError(['mangrove dev needs the package "chokidar"; npm install chokidar']);
  });
  const events = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;
  /** Replaces an editor's temporary file, which no longer exists, by its folder. */
  const take = (): readonly string[] => {
    const files = [...events].map(([file, event]) =>
      event === 'add' && !existsSync(join(root, file)) ? dirname(file) : file,
    );
    events.clear();
    return [...new Set(files)].sort();
  };
  const isMore = (path: string): boolean =>
    more.some((one) => path === one || path.startsWith(`${one}${sep}`) || one.startsWith(`${path}${sep}`));
  const ignored = (path: string): boolean => {
    const below = relative(root, path);
    return !isWatched(below) && !isMore(below);
  };
  const watcher = watch(root, { ignored, ignoreInitial: true });
  const note = (event: string, path: string): void => {
    events.set(relative(root, path), event);
    clearTimeout(timer);
    timer = setTimeout(() => changed(take()), QUIET);
  };
  const readAgain = async (folder: string): Promise<void> => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    // To add to a closed watcher opens it again.
    if (watcher.closed) return;
    const watched = watcher.getWatched();
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name);
      if (ignored(path) || watched[entry.parentPath]?.includes(entry.name)) continue;
      if (entry.isDirectory()) watcher.add(path);
      else note('add', path);
    }
  };
  watcher.on('all', (event, path) => {
    if (event === 'addDir') setTimeout(() => void readAgain(path), AGAIN).unref();
    if (!event.endsWith('Dir')) note(event, path);
  });
  await new Promise<void>((ready) => watcher.once('ready', () => ready()));
  return {
    close: async () => {
      clearTimeout(timer);
      await watcher.close();
    },
  };
}

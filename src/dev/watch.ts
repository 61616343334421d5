import { existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { ConfigError } from '../config/error.js';

/** What a project is made of, below its folder. */
const PLACES = new Set(['content-types', 'config', 'src', 'migrations', 'package.json']);
/** Milliseconds of quiet after which files are taken for written: an editor may touch several. */
const QUIET = 60;

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
 * Tells which files of a project changed, relative to it, once they are at rest.
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
  /** An editor's file that came and went is told by its folder. */
  const take = (): readonly string[] => {
    const files = [...events].map(([file, event]) =>
      event === 'add' && !existsSync(join(root, file)) ? dirname(file) : file,
    );
    events.clear();
    return [...new Set(files)].sort();
  };
  const isMore = (path: string): boolean =>
    more.some((one) => path === one || path.startsWith(`${one}${sep}`) || one.startsWith(`${path}${sep}`));
  const watcher = watch(root, {
    ignored: (path) => {
      const below = relative(root, path);
      return !isWatched(below) && !isMore(below);
    },
    ignoreInitial: true,
  });
  watcher.on('all', (event, path) => {
    if (event.endsWith('Dir')) return;
    events.set(relative(root, path), event);
    clearTimeout(timer);
    timer = setTimeout(() => changed(take()), QUIET);
  });
  await new Promise<void>((ready) => watcher.once('ready', () => ready()));
  return {
    close: async () => {
      clearTimeout(timer);
      await watcher.close();
    },
  };
}

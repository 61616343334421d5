import { readFileSync } from 'node:fs';

/**
 * Under `npm start`, Ctrl-C arrives twice: from the terminal, and immediately again from npm, which forwards
 * it.
 */
const SAME_PRESS_MS = 500;

/** How often it is checked whether npm is still there, in milliseconds. */
const NPM_MS = 500;

/** The parent of a process, where the system has `/proc`; otherwise null. */
const parentOf = (pid: number): string | null => {
  try {
    const [, parent = null] = /\) \S+ (\d+) [^)]*$/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return parent;
  } catch {
    return null;
  }
};

/**
 * The processes between this one and npm. Some shells are replaced by the command of an npm script, so that npm is
 * the parent; others (dash) stay in between, and when npm is killed or hung up, neither they nor this process hear of it.
 */
const pathToNpm = (): string => {
  const parent = process.ppid;
  let shell = false;
  try {
    shell = readFileSync(`/proc/${parent}/cmdline`, 'utf8').split('\0')[1] === '-c';
  } catch {
    // Without /proc only the parent can be watched.
  }
  return `${parent} ${shell ? parentOf(parent) : ''}`;
};

/**
 * A signal to npm ends npm, or the shell that it started, and neither passes it on. Calls `stop` once one of them is
 * gone.
 * @returns a function that ends the watch
 */
const watchNpm = (stop: () => void): (() => void) => {
  if (process.env['npm_lifecycle_event'] === undefined) return () => undefined;
  const path = pathToNpm();
  const watch = setInterval(() => {
    if (pathToNpm() === path) return;
    clearInterval(watch);
    stop();
  }, NPM_MS);
  watch.unref();
  return () => clearInterval(watch);
};

/**
 * Drains and exits with 0 on SIGINT or SIGTERM. A second signal, if it is not part of the same key press,
 * exits immediately with 130. In an npm script, the end of npm counts as a signal.
 * @param stopping reports its own errors
 * @returns a function that removes the listeners, for a program that stops by itself
 */
export const stopOnSignal = (stopping: () => Promise<void>): (() => void) => {
  let signalledAt: number | null = null;
  const stop = (): void => {
    const now = performance.now();
    if (signalledAt !== null) {
      if (now - signalledAt > SAME_PRESS_MS) process.exit(130);
      return;
    }
    signalledAt = now;
    stopping().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  const endWatch = watchNpm(() => {
    if (signalledAt === null) stop();
  });
  return () => {
    endWatch();
    process.off('SIGTERM', stop);
    process.off('SIGINT', stop);
  };
};

/**
 * Under `npm start`, Ctrl-C arrives twice: from the terminal, and immediately again from npm, which forwards
 * it.
 */
const SAME_PRESS_MS = 500;

/** How often it is checked whether the shell of an npm script is still there. */
const PARENT_MS = 500;

/**
 * A signal to npm ends the shell that npm started, which passes it on to nobody. Calls `stop` once that shell is gone.
 * @returns a function that ends the watch
 */
const watchNpmShell = (stop: () => void): (() => void) => {
  if (process.env['npm_lifecycle_event'] === undefined) return () => undefined;
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    stop();
  }, PARENT_MS);
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
  const endWatch = watchNpmShell(() => {
    if (signalledAt === null) stop();
  });
  return () => {
    endWatch();
    process.off('SIGTERM', stop);
    process.off('SIGINT', stop);
  };
};

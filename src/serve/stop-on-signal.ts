/**
 * Under `npm start`, Ctrl-C arrives twice: from the terminal, and immediately again from npm, which forwards
 * it.
 */
const SAME_PRESS_MS = 500;

/**
 * Drains and exits with 0 on SIGINT or SIGTERM. A second signal, if it is not part of the same key press,
 * exits immediately with 130.
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
  return () => {
    process.off('SIGTERM', stop);
    process.off('SIGINT', stop);
  };
};

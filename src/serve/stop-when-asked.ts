/** Ctrl-C under `npm start` comes twice: from the terminal, and at once again from npm, which hands on what it got. */
const SAME_PRESS_MS = 500;

/**
 * Drains and leaves with 0 on SIGINT or SIGTERM. Asked again later, somebody is in a hurry: leaves at once with 130.
 * @param stopping says itself why it failed
 * @returns takes the listeners away again, for a program that stops on its own
 */
export const stopWhenAsked = (stopping: () => Promise<void>): (() => void) => {
  let asked: number | null = null;
  const stop = (): void => {
    const now = performance.now();
    if (asked !== null) {
      if (now - asked > SAME_PRESS_MS) process.exit(130);
      return;
    }
    asked = now;
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

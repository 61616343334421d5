import type { Serving } from '../serve/index.js';
import { explainFailure } from './explain-failure.js';

/** Ctrl-C under `npm start` comes twice: from the terminal, and at once again from npm, which hands on what it got. */
const SAME_PRESS_MS = 500;

/** Drains and leaves with 0 on SIGINT or SIGTERM. Asked again later, somebody is in a hurry: leaves at once with 130. */
export const stopWhenAsked = (serving: Serving): void => {
  let asked: number | null = null;
  const stop = (): void => {
    const now = performance.now();
    if (asked !== null) {
      if (now - asked > SAME_PRESS_MS) process.exit(130);
      return;
    }
    asked = now;
    serving.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(explainFailure(error));
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
};

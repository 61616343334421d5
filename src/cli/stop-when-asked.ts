import { explainFailure } from './explain-failure.js';
import type { Serving } from './serve.js';

/** Drains and leaves with 0 on SIGINT or SIGTERM. */
export const stopWhenAsked = (serving: Serving): void => {
  let asked = false;
  const stop = (): void => {
    // Asked twice, somebody is in a hurry.
    if (asked) process.exit(130);
    asked = true;
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

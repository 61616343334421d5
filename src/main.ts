import { explainFailure } from './cli/explain-failure.js';
import { seedOf, serve } from './cli/serve.js';

/** The process: serve the project in this folder until asked to stop, then drain and leave with 0. */
const main = async (): Promise<void> => {
  const root = process.cwd();
  const serving = await serve({ root, seed: seedOf(root), print: (text) => console.log(text) });
  let asked = false;
  const stop = (): void => {
    // Asked twice, somebody is in a hurry.
    if (asked) process.exit(130);
    asked = true;
    serving.stop().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
};

const fail = (error: unknown): never => {
  console.error(explainFailure(error));
  process.exit(1);
};

await main().catch(fail);

import { startEngine } from '../../src/index.js';

/** An engine as a separate process, for tests that kill it: `engine-process.ts DATA-DIR`. Prints its URI. */
async function main(): Promise<void> {
  const dataDir = process.argv[2] ?? '';
  try {
    const engine = await startEngine({ dataDir });
    process.stdout.write(`${JSON.stringify({ uri: engine.uri, owned: engine.owned })}\n`);
    process.once('SIGTERM', () => void engine.close().then(() => process.exit(0)));
    // A process that found another owner has nothing that keeps it running.
    setInterval(() => {}, 1000);
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ error: (error as Error).message })}\n`);
    process.exit(1);
  }
}

void main();

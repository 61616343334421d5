import { rm } from 'node:fs/promises';
import { embedded } from './embedded-engine.js';

/** The stores of a test file share an engine, which is closed when the file ends. */
export const mochaHooks = {
  async afterAll(): Promise<void> {
    const { running } = embedded;
    if (running === null) return;
    embedded.running = null;
    const { engine, dataDir } = await running;
    await engine.close();
    await rm(dataDir, { recursive: true, force: true });
  },
};

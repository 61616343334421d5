import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEngine } from '@mangrove/engine';
import { serve } from './child.js';

/** The embedded engine in a process of its own, on a folder that goes with it. */
const dataDir = await mkdtemp(join(tmpdir(), 'mangrove-bench-'));
const engine = await startEngine({ dataDir });
process.once('SIGTERM', async () => {
  await engine.close();
  await rm(dataDir, { recursive: true, force: true });
  process.exit(0);
});
serve(engine.uri);

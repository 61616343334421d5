/** The process that serves a project for `mangrove dev`. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeTypes } from '../describe/types.js';
import { startServing } from '../serve/index.js';
import { recordLateErrors } from '../serve/late-errors.js';
import { seedOf } from '../serve/seed-of.js';
import { stopOnSignal } from '../serve/stop-on-signal.js';
import { explainError, note, printGreeting } from '../terminal/output.js';
import type { ServedOptions } from './reload.js';

/** Milliseconds that running requests have to finish when files have changed. */
const DRAIN = 1000;

const { root, agreed, env, seed, types, files }: ServedOptions = JSON.parse(process.argv[2] ?? '');
const begun = performance.now();
// Without its parent, nothing would end it.
process.on('disconnect', () => process.exit());

try {
  const first = seed ? await seedOf(root) : null;
  const serving = await startServing({
    root,
    env: { ...process.env, ...env },
    agreed,
    overrides: { server: { drainMs: DRAIN } },
    ...(first !== null && { seed: first }),
    ...(files.length === 0 && { print: printGreeting }),
  });
  recordLateErrors(serving);
  stopOnSignal(() => serving.stop());
  if (types !== null) await keepTypes(join(root, types), describeTypes(serving.project.schema));
  const took = Math.round(performance.now() - begun);
  if (files.length > 0) note(`served again on port ${serving.port} after ${took} ms`);
} catch (error) {
  note(explainError(error));
  process.exit(1);
}

async function keepTypes(file: string, text: string): Promise<void> {
  if ((await readFile(file, 'utf8').catch(() => '')) === text) return;
  await writeFile(file, text);
  note(`${file} written`);
}

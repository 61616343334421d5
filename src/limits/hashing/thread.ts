/** The thread that hashes passwords: one job at a time, each answered with one message. */
import { scryptSync } from 'node:crypto';
import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { compareSync, hashSync } from 'bcryptjs';
import type { HashJob, HashResult } from './messages.js';

/** Of `setPriority`: a thread gets a quarter of a core that another one wants too. */
const LOW = 5;

/** On Linux a priority is that of a thread (setpriority(2), "C library/kernel differences"), elsewhere that of the process. */
function yieldToOthers(): void {
  try {
    if (process.platform === 'linux' && getPriority() < LOW) setPriority(LOW);
  } catch {
    // Sandboxes may forbid it.
  }
}

yieldToOthers();

const run = (job: HashJob): Uint8Array | string | boolean => {
  switch (job.kind) {
    case 'scrypt':
      return scryptSync(job.password, job.salt, job.bytes, job.cost);
    case 'hash':
      return hashSync(job.password, job.rounds);
    case 'compare':
      return compareSync(job.password, job.hash);
  }
};

const answer = (job: HashJob): HashResult => {
  try {
    return { value: run(job) };
  } catch (error) {
    return { failed: String(error) };
  }
};

parentPort?.on('message', (job: HashJob) => parentPort?.postMessage(answer(job)));

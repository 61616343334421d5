/** The thread that hashes passwords: one job at a time, each answered with one message. */
import { parentPort } from 'node:worker_threads';
import { compareSync, hashSync } from 'bcryptjs';
import type { HashJob, HashResult } from './messages.js';

const run = (job: HashJob): string | boolean =>
  job.kind === 'hash' ? hashSync(job.password, job.rounds) : compareSync(job.password, job.hash);

const answer = (job: HashJob): HashResult => {
  try {
    return { value: run(job) };
  } catch (error) {
    return { failed: String(error) };
  }
};

parentPort?.on('message', (job: HashJob) => parentPort?.postMessage(answer(job)));

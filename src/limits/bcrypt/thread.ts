/** The thread that hashes passwords: one job at a time, each answered with one message. */
import { parentPort } from 'node:worker_threads';
import { compareSync, hashSync } from 'bcryptjs';
import type { Answer, Job } from './messages.js';

const run = (job: Job): string | boolean =>
  job.kind === 'hash' ? hashSync(job.password, job.rounds) : compareSync(job.password, job.hash);

const answer = (job: Job): Answer => {
  try {
    return { value: run(job) };
  } catch (error) {
    return { failed: String(error) };
  }
};

parentPort?.on('message', (job: Job) => parentPort?.postMessage(answer(job)));

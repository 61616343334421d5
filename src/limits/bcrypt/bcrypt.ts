/**
 * bcrypt, in threads of its own: written in JavaScript, it would block all other requests for as long as it
 * takes, which is some 75 ms with the usual cost.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type Entrant, runThrough } from '../gate.js';
import { hashing } from '../hashing.js';
import type { HashJob, HashResult } from './messages.js';

/** TypeScript sources, as run by the tests, need their loader in the thread as well. */
function startThread(): Worker {
  // Without the options of this process: some of them, such as --input-type, are for its own program alone.
  if (!import.meta.url.endsWith('.ts'))
    return new Worker(new URL('./thread.js', import.meta.url), { execArgv: [] });
  const program = JSON.stringify(new URL('./thread.ts', import.meta.url).href);
  const start = `import('tsx/esm/api').then(({ register }) => { register(); return import(${program}); })`;
  return new Worker(start, { eval: true });
}

/** Threads that have nothing to do. There are as many threads as jobs that the gate admits. */
const idle: Worker[] = [];

const answerOf = async (thread: Worker, signal: AbortSignal | undefined): Promise<HashResult> => {
  try {
    const [answer] = (await once(thread, 'message', { signal })) as [HashResult];
    return answer;
  } catch (error) {
    await thread.terminate();
    signal?.throwIfAborted();
    throw error;
  }
};

/** Runs a job in a thread. If nobody waits for it any more, the thread is ended: while it computes, it cannot be told to stop. */
const run = async (job: HashJob, signal?: AbortSignal): Promise<string | boolean> => {
  const thread = idle.pop() ?? startThread();
  // The process waits for a job, not for a thread without one.
  thread.ref();
  thread.postMessage(job);
  const answer = await answerOf(thread, signal);
  thread.unref();
  idle.push(thread);
  if ('failed' in answer) throw new Error(answer.failed);
  return answer.value;
};

/** The hash of a password. Throws a 429 if too many wait, and the signal's reason if it is aborted meanwhile. */
export const bcryptHash = async (password: string, rounds: number, who?: Entrant): Promise<string> =>
  String(await runThrough(hashing, () => run({ kind: 'hash', password, rounds }, who?.signal), who));

/** Whether a password matches its hash. Throws as `bcryptHash` does. */
export const bcryptCompare = async (password: string, hash: string, who?: Entrant): Promise<boolean> =>
  (await runThrough(hashing, () => run({ kind: 'compare', password, hash }, who?.signal), who)) === true;

/**
 * bcrypt and scrypt, in threads of their own and after everything else: each takes some 50 to 100 ms of a core, for which
 * whoever guesses at passwords would make others wait.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createGate, type Entrant, type Gate, runThrough } from '../gate.js';
import type { HashJob, HashResult, ScryptCost } from './messages.js';

/** Admits the work of hashing passwords: as many jobs as there are threads for it. */
export const hashing: Gate = createGate({ atOnce: 2, maxWaiting: 50 });

/** TypeScript sources, as run by the tests, need their loader in the thread as well. */
function startThread(): Worker {
  // Without the options of this process: some of them, such as --input-type, are for its own program alone.
  if (!import.meta.url.endsWith('.ts'))
    return new Worker(new URL('./thread.js', import.meta.url), { execArgv: [] });
  const program = JSON.stringify(new URL('./thread.ts', import.meta.url).href);
  const start = `import('tsx/esm/api').then(({ register }) => { register(); return import(${program}); })`;
  return new Worker(start, { eval: true });
}

/** Threads that have nothing to do. */
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

/**
 * Runs a job in a thread when the gate admits it. If nobody waits for it any more, the thread is ended: while it computes,
 * it cannot be told to stop.
 */
const run = (job: HashJob, who?: Entrant): Promise<Uint8Array | string | boolean> =>
  runThrough(
    hashing,
    async () => {
      const thread = idle.pop() ?? startThread();
      // The process waits for a job, not for a thread without one.
      thread.ref();
      thread.postMessage(job);
      const answer = await answerOf(thread, who?.signal);
      thread.unref();
      idle.push(thread);
      if ('failed' in answer) throw new Error(answer.failed);
      return answer.value;
    },
    who,
  );

/** The hash of a password. Throws a 429 if too many wait, and the signal's reason if it is aborted meanwhile. */
export const bcryptHash = async (password: string, rounds: number, who?: Entrant): Promise<string> =>
  String(await run({ kind: 'hash', password, rounds }, who));

/** Whether a password matches its hash. Throws as `bcryptHash` does. */
export const bcryptCompare = async (password: string, hash: string, who?: Entrant): Promise<boolean> =>
  (await run({ kind: 'compare', password, hash }, who)) === true;

/** The key of a password, of so many bytes. Throws as `bcryptHash` does. */
export const scryptKey = async (
  password: string,
  salt: Uint8Array,
  { bytes, ...cost }: ScryptCost & { readonly bytes: number },
  who?: Entrant,
): Promise<Uint8Array> => (await run({ kind: 'scrypt', password, salt, bytes, cost }, who)) as Uint8Array;

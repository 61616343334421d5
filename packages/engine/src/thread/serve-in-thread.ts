import { type ResourceLimits, Worker } from 'node:worker_threads';
import type { ServeOptions } from '../serve.js';
import type { RunningEngine } from '../serve-owned.js';
import { DataFolderError } from '../storage/data-folder.js';
import type { FromThread } from './messages.js';

/** Recreates an error from the thread. */
function revive(dataDir: string, said: FromThread & { kind: 'failed' }): Error {
  const error = said.name === 'DataFolderError' ? new DataFolderError(dataDir, '') : new Error();
  error.message = said.message;
  return said.code === undefined ? error : Object.assign(error, { code: said.code });
}

/**
 * In a heap that may become large, V8 lets four times its size become garbage before collecting; here it is half its size.
 * Operations end before the heap is full.
 */
const HEAP_MB = 1024;

/** If Node runs with a heap size, it applies to this thread as well. */
function resourceLimits(): ResourceLimits {
  const given = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ');
  return /--max[-_]old[-_]space[-_]size/.test(given) ? {} : { maxOldGenerationSizeMb: HEAP_MB };
}

/** Starts the thread. TypeScript sources, as run by the tests, need their loader in the thread as well. */
function startWorker(data: ServeOptions): Worker {
  const options = { workerData: data, resourceLimits: resourceLimits() };
  // Without the options of this process: some of them, such as --input-type, are for its own program alone.
  if (!import.meta.url.endsWith('.ts'))
    return new Worker(new URL('./engine-thread.js', import.meta.url), { ...options, execArgv: [] });
  const program = JSON.stringify(new URL('./engine-thread.ts', import.meta.url).href);
  const start = `import('tsx/esm/api').then(({ register }) => { register(); return import(${program}); })`;
  return new Worker(start, { eval: true, ...options });
}

const nextMessage = (worker: Worker): Promise<FromThread> =>
  new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the engine's thread ended with ${code}`)));
  });

/** Serves a folder from a separate thread, so that a long query does not block the rest of the process. */
export async function serveInThread(options: ServeOptions): Promise<RunningEngine> {
  const { dataDir } = options;
  const worker = startWorker(options);
  const said = await nextMessage(worker);
  if (said.kind === 'failed') throw revive(dataDir, said);
  if (said.kind === 'closed') throw new Error("the engine's thread ended");
  const { uri, owned, pid } = said;
  const end = async (): Promise<void> => {
    const last = nextMessage(worker);
    worker.postMessage('close');
    const answer = await last;
    await worker.terminate();
    if (answer.kind === 'failed') throw revive(dataDir, answer);
  };
  // Another process owns the folder, so the thread has nothing to do.
  if (!owned) await end();
  return { uri, owned, pid, close: owned ? end : async () => {} };
}
